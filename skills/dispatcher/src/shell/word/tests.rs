#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

fn bare(text: &str) -> Word {
    Word {
        glyphs: text.chars().map(Glyph::Bare).collect(),
        quoted: false,
    }
}

fn hole(expression: &str) -> Word {
    Word {
        glyphs: vec![Glyph::hole(expression, false)],
        quoted: false,
    }
}

fn texts(word: &Word, variables: &Variables) -> Vec<String> {
    word.fields(variables)
        .unwrap()
        .into_iter()
        .map(|field| field.text)
        .collect()
}

#[test]
fn braces_are_written_out_in_order_and_inside_each_other() {
    assert_eq!(texts(&bare("{rm,-rf,/}"), &Variables::new()), ["rm", "-rf", "/"]);
    assert_eq!(texts(&bare("a{b,{c,d}}e"), &Variables::new()), ["abe", "ace", "ade"]);
    assert_eq!(texts(&bare("{single}"), &Variables::new()), ["{single}"]);
    assert_eq!(texts(&bare("${x}"), &Variables::new()), ["${x}"]);
}

#[test]
fn too_many_braces_are_given_up() {
    assert_eq!(bare(&"{a,b}".repeat(20)).fields(&Variables::new()), None);
}

#[test]
fn values_are_split_where_they_are_not_quoted() {
    let variables = Variables::from([("x".to_owned(), Value::Known("rm -rf".to_owned()))]);
    assert_eq!(texts(&hole("x"), &variables), ["rm", "-rf"]);
    assert_eq!(texts(&hole("x:-no"), &variables), ["rm", "-rf"]);
    assert_eq!(texts(&hole("never"), &variables), [""; 0]);
    assert_eq!(texts(&hole("never:-'/'"), &variables), ["/"]);
    assert_eq!(texts(&hole("HOME"), &variables), ["~"]);
    assert!(!hole("PATH").fields(&variables).unwrap()[0].is_known());
}

#[test]
fn assignments_are_told_from_words() {
    assert_eq!(bare("x=1").assignment().unwrap().0, "x");
    assert_eq!(bare("x[2]=1").assignment().unwrap().0, "x");
    assert!(bare("x+=1").assignment().unwrap().1);
    assert!(bare("--x=1").assignment().is_none());
    assert!(bare("=x").assignment().is_none());
    assert!(bare("2x=1").assignment().is_none());
}
