//! What is read, what it means, and what is refused by name.

use super::*;

fn sym(name: &str) -> Form {
    Form::Symbol(Name::new(name))
}

#[test]
fn nil_in_any_spelling_is_one_value() {
    for text in ["NIL", "nil", "Nil", "()", "( )", "(;c\n)", "|NIL|", "n\\IL"] {
        assert_eq!(read(text).unwrap(), Form::Nil, "{text}");
    }
    assert_eq!(read("|nil|").unwrap(), sym("nil"));
    assert_eq!(read(":nil").unwrap(), kw("NIL"));
    assert_eq!(read("[]").ok(), None);
    assert_eq!(read_prefix("[]", Brackets::AsList).unwrap(), (Form::Nil, 2));
}

#[test]
fn t_is_true_and_nil_is_not() {
    assert_eq!(read("t").unwrap(), Form::truth(true));
    assert!(read("T").unwrap().is_true());
    assert!(!read("()").unwrap().is_true());
}

#[test]
fn names_are_upper_case_unless_escaped() {
    assert_eq!(read("foo").unwrap(), sym("FOO"));
    assert_eq!(read(":Type").unwrap(), kw("TYPE"));
    assert_eq!(read("|foo bar|").unwrap(), sym("foo bar"));
    assert_eq!(read(":|low|").unwrap(), kw("low"));
    assert_eq!(read("fo\\o").unwrap(), sym("FOo"));
    assert_eq!(read("a|b c|d").unwrap(), sym("Ab cD"));
    assert_eq!(read("|a\\|b\\\\c|").unwrap(), sym("a|b\\c"));
    assert_eq!(read("||").unwrap(), sym(""));
    assert_eq!(read(":||").unwrap(), kw(""));
    assert_eq!(read("|:a|").unwrap(), sym(":a"));
    assert_eq!(read("|1|").unwrap(), sym("1"));
    assert_eq!(read("\\1").unwrap(), sym("1"));
    assert_eq!(
        read("straße").unwrap(),
        sym("STRAßE"),
        "one character for one, as SBCL does it"
    );
    assert_eq!(read("äöü").unwrap(), sym("ÄÖÜ"));
}

#[test]
fn numbers_are_told_apart_and_kept_as_written() {
    let cases = [
        (NumberKind::Integer, "0 42 -7 +5 1. 007 123456789012345678901234567890"),
        (NumberKind::Ratio, "1/3 -22/7 +1/2 0/5"),
        (
            NumberKind::Float,
            "1.5 -0.5 .5 -.5 1e5 1.5e-3 1.E5 1.5d0 2f0 1s0 3L+2 1.0e999 007.5",
        ),
    ];
    for (kind, texts) in cases {
        for text in texts.split(' ') {
            match read(text).unwrap() {
                Form::Number(number) => assert_eq!((number.kind(), number.text()), (kind, text)),
                other => panic!("{text} was read as {other:?}"),
            }
        }
    }
    for text in [
        "+", "-", "1+", "1-", "-a", "1/2/3", "1.5.2", "1e", "1e+", "e5", "+.", "1x", "/", "1/a", "5d",
    ] {
        assert_eq!(read(text).unwrap(), sym(&text.to_uppercase()), "{text}");
    }
}

#[test]
fn a_float_of_many_digits_is_still_a_float() {
    for text in [
        format!("{}.5", "1".repeat(400)),
        format!("0.{}", "7".repeat(5000)),
        format!("1e{}", "9".repeat(50)),
    ] {
        assert!(matches!(read(&text).unwrap(), Form::Number(number) if number.kind() == NumberKind::Float));
    }
}

#[test]
fn integers_convert_when_they_fit() {
    assert_eq!(read("42").unwrap().as_int(), Some(42));
    assert_eq!(read("-7.").unwrap().as_int(), Some(-7));
    assert_eq!(read("+5").unwrap().as_int(), Some(5));
    assert_eq!(read("9223372036854775808").unwrap().as_int(), None);
    assert_eq!(read("1.5").unwrap().as_int(), None);
}

#[test]
fn strings_take_common_lisps_escapes_and_those_that_models_write() {
    assert_eq!(read(r#""a\nb\tc""#).unwrap().as_str(), Some("a\nb\tc"));
    assert_eq!(read(r#""a\\nb""#).unwrap().as_str(), Some("a\\nb"));
    assert_eq!(read(r#""say \"hi\" \x""#).unwrap().as_str(), Some("say \"hi\" x"));
    assert_eq!(read("\"two\nlines\r\n\"").unwrap().as_str(), Some("two\nlines\r\n"));
    assert_eq!(read("\"\\😀\\é\"").unwrap().as_str(), Some("😀é"));
    assert_eq!(read("\"; #| ( ' ` , . [\"").unwrap().as_str(), Some("; #| ( ' ` , . ["));
    assert_eq!(read("\"\"").unwrap().as_str(), Some(""));
}

#[test]
fn characters_are_read_by_shape_name_or_code_point() {
    let cases = [
        ("#\\a", 'a'),
        ("#\\A", 'A'),
        ("#\\(", '('),
        ("#\\)", ')'),
        ("#\\;", ';'),
        ("#\\\"", '"'),
        ("#\\\\", '\\'),
        ("#\\#", '#'),
        ("#\\|", '|'),
        ("#\\ ", ' '),
        ("#\\space", ' '),
        ("#\\Newline", '\n'),
        ("#\\LINEFEED", '\n'),
        ("#\\Nul", '\0'),
        ("#\\Esc", '\u{1b}'),
        ("#\\Bel", '\u{7}'),
        ("#\\U+E4", 'ä'),
        ("#\\u1F600", '😀'),
        ("#\\😀", '😀'),
    ];
    for (text, char) in cases {
        assert_eq!(read(text).unwrap(), Form::Char(char), "{text}");
    }
    assert_eq!(reprinted("(#\\( #\\a)"), "(#\\( #\\a)");
    for text in ["#\\nosuchname", "#\\U+D800", "#\\U+110000", "#\\U++41", "#\\ab"] {
        assert!(
            refusal(text).contains(&format!("the character name `{}`", &text[2..])),
            "{text}"
        );
    }
}

#[test]
fn what_lexpr_does_not_read_is_read() {
    assert_eq!(reprinted("#'car"), "(FUNCTION CAR)");
    assert_eq!(reprinted("'x"), "(QUOTE X)");
    assert_eq!(reprinted("'(a 'b)"), "(QUOTE (A (QUOTE B)))");
    assert_eq!(reprinted("''nil"), "(QUOTE (QUOTE NIL))");
    assert_eq!(reprinted("(a #|block ( \" comment|# b)"), "(A B)");
    assert_eq!(reprinted("#(1 #() \"x\")"), "#(1 #() \"x\")");
    assert_eq!(reprinted("#p\"/x\""), "#P\"/x\"");
    assert_eq!(reprinted("(a#b a# |a#|)"), "(|A#B| |A#| |a#|)");
}

#[test]
fn comments_are_skipped_wherever_blanks_may_stand() {
    assert_eq!(
        reprinted("; first\n(a ; second (\n b #| third #| nested |# |#)\n; last"),
        "(A B)"
    );
    assert_eq!(reprinted("#||#(a . #|c|# b)"), "(A . B)");
    assert_eq!(read(" ; nothing\n #| at all |# "), Err(ReadError::Empty));
    assert_eq!(read(""), Err(ReadError::Empty));
    assert_eq!(
        read("(a) #|"),
        Err(ReadError::Unfinished {
            what: "a comment",
            at: 4
        })
    );
    assert_eq!(
        read("#| #| |#"),
        Err(ReadError::Unfinished {
            what: "a comment",
            at: 0
        })
    );
}

#[test]
fn dots_make_dotted_lists_or_none() {
    assert_eq!(reprinted("(a . b)"), "(A . B)");
    assert_eq!(reprinted("(a b .\"c\")"), "(A B . \"c\")");
    assert_eq!(reprinted("(a . (b c))"), "(A B C)");
    assert_eq!(reprinted("(a . (b . c))"), "(A B . C)");
    assert_eq!(reprinted("(a . ())"), "(A)");
    assert_eq!(reprinted("(a . 'b)"), "(A QUOTE B)");
    assert_eq!(reprinted("(a . #(b))"), "(A . #(B))");
    for text in ["(. a)", ".", "(a . . b)", "#(a . b)", "'.", "(. )"] {
        assert!(refusal(text).starts_with("a dot outside a dotted list"), "{text}");
    }
    assert!(refusal("(a .)").starts_with("a dot before nothing"));
    assert!(refusal("(a . b c)").starts_with("a second form after a dot"));
    assert!(refusal("(a . b 'c)").starts_with("a second form after a dot"));
    assert!(refusal("(...)").contains("dots alone"));
}

#[test]
fn reader_macros_that_could_execute_or_allocate_are_refused_by_name() {
    let evil = "(:TYPE :EVENT :PAYLOAD #.(run-program \"id\"))";
    assert_eq!(
        refusal(evil),
        "the reader macro `#.`, which would execute, at byte 23 is not read here"
    );
    for text in ["#1=(#1#)", "#1#", "#1000000000(1)", "#2A((1))", "#16r1F"] {
        assert!(refusal(text).contains("`#` with a number"), "{text}");
    }
    for text in [
        "#xFF", "#b1", "#S(a)", "#+sbcl x", "#-x y", "#:g1", "#*101", "#C(1 2)", "#<obj>", "#P(x)", "#\u{e9}", "# ",
    ] {
        let name = text.chars().nth(1).unwrap();
        assert!(refusal(text).contains(&format!("the reader macro `#{name}`")), "{text}");
    }
    for text in ["`(a ,b)", ",a", "(a `b)"] {
        assert!(refusal(text).contains("a backquote or comma"), "{text}");
    }
    assert_eq!(
        read("#"),
        Err(ReadError::Unfinished {
            what: "a reader macro",
            at: 0
        })
    );
}

#[test]
fn names_that_would_mean_something_else_in_lisp_are_refused() {
    assert!(refusal("cl-user::foo").contains("a symbol of a package"));
    assert!(refusal("sb-ext:run-program").contains("a symbol of a package"));
    assert!(refusal(":a:b").contains("a colon inside its name"));
    assert!(refusal("::a").contains("a colon inside its name"));
    assert!(refusal("a:|b|").contains("a colon inside a name"));
    assert!(refusal("::|b|").contains("a colon inside a name"));
    assert!(refusal(":").contains("a colon without a name"));
    assert!(refusal("1/0").contains("over zero"));
    assert!(refusal("a\u{8}b").contains("a control character in a name at byte 1"));
    assert!(refusal("a\0").contains("a control character"));
    assert!(refusal("|a|\u{7f}").contains("a control character"));
}

#[test]
fn square_brackets_are_lists_only_where_a_model_wrote_them() {
    assert!(refusal("[a b]").contains("a square bracket at byte 0"));
    assert!(refusal("(a [b])").contains("a square bracket at byte 3"));
    assert!(refusal("(a]").contains("a square bracket at byte 2"));
    let (form, end) = read_prefix("[:a [1 2] (b[c])] tail", Brackets::AsList).unwrap();
    assert_eq!((form.to_string().as_str(), end), ("(:A (1 2) (B (C)))", 17));
    for text in ["(a]", "[a)", "[(a])"] {
        let error = read_prefix(text, Brackets::AsList).unwrap_err().to_string();
        assert!(error.contains("belongs"), "{text}: {error}");
    }
}

#[test]
fn one_text_is_one_form() {
    assert_eq!(read("(a) (b)"), Err(ReadError::Trailing { at: 4 }));
    assert_eq!(read("(a))"), Err(ReadError::Trailing { at: 3 }));
    assert_eq!(reprinted(" (a) \n; done\n"), "(A)");
    assert_eq!(read_prefix("(a) and prose (", Brackets::Refuse).unwrap().1, 3);
}

#[test]
fn what_is_unbalanced_is_an_error_that_says_where() {
    assert_eq!(read("(a (b)"), Err(ReadError::Unfinished { what: "a list", at: 0 }));
    assert_eq!(
        read("(a #(b"),
        Err(ReadError::Unfinished {
            what: "a vector",
            at: 3
        })
    );
    assert_eq!(
        read("(a \"b)"),
        Err(ReadError::Unfinished {
            what: "a string",
            at: 3
        })
    );
    assert_eq!(
        read("\"a\\"),
        Err(ReadError::Unfinished {
            what: "a string",
            at: 0
        })
    );
    assert_eq!(
        read("(a |b)"),
        Err(ReadError::Unfinished {
            what: "a name with bars or backslashes",
            at: 3
        })
    );
    assert_eq!(
        read("'"),
        Err(ReadError::Unfinished {
            what: "a quoted form",
            at: 0
        })
    );
    assert_eq!(
        read("#\\"),
        Err(ReadError::Unfinished {
            what: "a character",
            at: 0
        })
    );
    assert_eq!(read(")"), Err(ReadError::Unopened { found: ')', at: 0 }));
    assert!(refusal("(')").contains("a quote before nothing at byte 1"));
}
