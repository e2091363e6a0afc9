#![allow(missing_docs)]
fn main() {
    for c in ["${x}<<'E' $(echo act) \nE\n printf a", "cat <<E $(echo act) foo\nbody\nE\necho b", "x=1 <<E $(echo act)\nb\nE"] {
        let o = brush_parser::ParserOptions::default();
        let tokens = brush_parser::uncached_tokenize_str(c, &o.tokenizer_options());
        println!("{:?}", tokens.as_ref().map(|t| t.iter().map(|t| t.to_str().to_owned()).collect::<Vec<_>>()));
        if let Ok(t) = tokens { println!("{}", brush_parser::parse_tokens(&t, &o).map(|p| p.to_string()).unwrap_or_else(|e| e.to_string())); }
    }
}
