//! One printing for one value.

use super::*;

#[test]
fn spacing_case_and_empty_lists_have_one_printing() {
    let one = "(:TYPE :EVENT :META (:SOURCE :TUI) :EMPTY NIL :TEXT \"x\")";
    for text in [
        "(:TYPE :EVENT :META (:SOURCE :TUI) :EMPTY NIL :TEXT \"x\")",
        "( :type  :event\n:meta(:source :tui):empty () :text\"x\" )",
        "(:Type :Event ;c\n :|META| (:SOURCE :tui) :empty nil #|c|# :text \"x\")",
    ] {
        assert_eq!(reprinted(text), one);
    }
}

#[test]
fn strings_escape_only_quotes_and_backslashes() {
    let text = "q\" b\\ \n\t\r\0\u{1b}\u{2028}😀";
    assert_eq!(Form::from(text).to_string(), "\"q\\\" b\\\\ \n\t\r\0\u{1b}\u{2028}😀\"");
    assert_eq!(Form::Pathname("/a\"b".into()).to_string(), "#P\"/a\\\"b\"");
}

#[test]
fn names_have_bars_only_where_they_need_them() {
    let cases = [
        ("CMD", "CMD"),
        ("A-B*C", "A-B*C"),
        ("cmd", "|cmd|"),
        ("", "||"),
        ("A B", "|A B|"),
        ("A|B\\", "|A\\|B\\\\|"),
        ("1+", "|1+|"),
        ("+1", "|+1|"),
        (".5", "|.5|"),
        ("..", "|..|"),
        ("-", "-"),
        ("-A", "-A"),
        ("A:B", "|A:B|"),
        ("Ä", "|Ä|"),
        ("A#", "|A#|"),
        ("T", "T"),
        ("A\nB", "|A\nB|"),
    ];
    for (name, printed) in cases {
        assert_eq!(Form::Symbol(Name::new(name)).to_string(), printed);
        assert_eq!(read(printed).unwrap(), Form::Symbol(Name::new(name)));
    }
    assert_eq!(kw("cmd").to_string(), ":|cmd|");
    assert_eq!(kw("").to_string(), ":||");
    assert_eq!(kw("1").to_string(), ":1");
    assert_eq!(kw("NIL").to_string(), ":NIL");
}

#[test]
fn characters_without_a_shape_are_printed_by_name() {
    let cases = [
        ('a', "a"),
        (' ', "Space"),
        ('\n', "Newline"),
        ('\0', "Nul"),
        ('\u{7f}', "Rubout"),
        ('(', "("),
        ('\u{85}', "U+0085"),
        ('\u{a0}', "U+00A0"),
        ('\u{2028}', "U+2028"),
        ('ä', "ä"),
    ];
    for (char, name) in cases {
        assert_eq!(Form::Char(char).to_string(), format!("#\\{name}"));
        assert_eq!(read(&format!("#\\{name}")).unwrap(), Form::Char(char));
    }
}

#[test]
fn an_empty_list_made_by_hand_is_printed_as_nil() {
    assert_eq!(Form::List(Vec::new()).to_string(), "NIL");
    assert_eq!(Form::list(Vec::new()), Form::Nil);
    assert_eq!(Form::Vector(Vec::new()).to_string(), "#()");
}

#[test]
fn a_digest_is_of_the_canonical_text_under_its_domain() {
    // printf 'passepartout-action-1\n(:TYPE :REQUEST)' | sha256sum
    let expected = "3d5c92ff3d4e34f023a8ffdd522e34cb821f73757f30f5c2f8594811285e0845";
    assert_eq!(
        Digest::of_action(&reprinted("( :type :request )")).to_string(),
        expected
    );
    assert_eq!(expected.parse::<Digest>().unwrap().short(), expected[..12]);
    assert!("12".parse::<Digest>().is_err());
}

#[test]
fn what_a_person_is_shown_hides_nothing() {
    assert_eq!(
        visible("ls\n\trm\r\u{202E}x\u{200B}\u{1b}[2K\u{9b}\0"),
        "ls\n\trm<U+000D><U+202E>x<U+200B><U+001B>[2K<U+009B><U+0000>"
    );
    assert_eq!(visible("plain ünïcode 😀"), "plain ünïcode 😀");
    for char in [
        "\u{ad}",
        "\u{61c}",
        "\u{2028}",
        "\u{2066}",
        "\u{feff}",
        "\u{e0041}",
        "\u{3164}",
    ] {
        assert!(visible(char).starts_with("<U+"), "{char:?}");
    }
}
