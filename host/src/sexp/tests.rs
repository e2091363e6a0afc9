use super::*;

#[test]
fn keys_of_any_case_are_one_key() {
    let form = read("(:type :event :Payload (:cmd \"ls\"))").unwrap();
    assert_eq!(form.text_at("payload.cmd"), Some("ls"));
    assert_eq!(form.to_string(), "(:TYPE :EVENT :PAYLOAD (:CMD \"ls\"))");
}
