//! What SBCL can't be asked: output, several forms, errors, and where we differ on purpose.

use super::{check, check_errors};
use crate::Session;

#[test]
fn output_comes_before_the_values_of_its_form() {
    check(&[
        ("(format t \"hello~%\")", "hello\nNIL"),
        ("(princ \"a\")", "a\n\"a\""),
        ("(print 1)", "\n1 \n1"),
        ("(progn (princ 1) (princ 2) 3)", "12\n3"),
        ("(+ 1 1) (+ 2 2)", "2\n4"),
        ("(write-line \"x\") 'y", "x\n\"x\"\nY"),
        ("(floor 7 2)", "3\n1"),
        ("(values)", ""),
        ("", ""),
        ("; only a comment", ""),
        (
            "(progn (fresh-line) (princ 1) (fresh-line) (fresh-line) (princ 2) nil)",
            "1\n2\nNIL",
        ),
        ("(warn \"careful ~a\" 1)", "WARNING: careful 1\nNIL"),
        (
            "(let ((*standard-output* (make-string-output-stream))) (princ 1) 2)",
            "2",
        ),
    ]);
}

#[test]
fn errors_name_the_condition_the_form_and_what_is_wrong() {
    check(&[
        (
            "(foo 1)",
            "error: UNDEFINED-FUNCTION: The function COMMON-LISP-USER::FOO is undefined.\nin: (FOO 1)",
        ),
        (
            "bar",
            "error: UNBOUND-VARIABLE: The variable COMMON-LISP-USER::BAR is unbound.\nin: BAR",
        ),
        (
            "(princ 1) (car 2)",
            "error: 1\n1\nTYPE-ERROR: The value 2 is not of type LIST\nin: (CAR 2)",
        ),
        (
            "(error \"boom ~a\" 7)",
            "error: SIMPLE-ERROR: boom 7\nin: (ERROR \"boom ~a\" 7)",
        ),
        (
            "(error 'my-trouble)",
            "error: MY-TROUBLE: Condition MY-TROUBLE was signalled.\nin: (ERROR 'MY-TROUBLE)",
        ),
    ]);
    check_errors(&[
        (
            "(/ 5 0)",
            "arithmetic error DIVISION-BY-ZERO signalled\nOperation was (/ 5 0).",
        ),
        ("(+ 1 \"a\")", "The value \"a\" is not of type NUMBER"),
        ("(defun f (x) x) (f 1 2)", "invalid number of arguments to F: 2"),
        ("(car 1 2)", "invalid number of arguments to CAR: 2"),
        ("((lambda (x) x))", "invalid number of arguments: 0"),
        ("(funcall (lambda (&key a) a) :b 1)", "unknown &KEY argument: :B"),
        ("(funcall (lambda (&key a) a) :a)", "odd number of &KEY arguments"),
        ("(return-from nowhere 1)", "return for unknown block: NOWHERE"),
        ("(go nowhere)", "nonexistent tag: NOWHERE"),
        ("(funcall (block b (lambda () (return-from b 1))))", "no longer exists"),
        (
            "(defun car (x) x)",
            "Lock on package COMMON-LISP violated when defining CAR as a function",
        ),
        ("(defmacro when (x) x)", "Lock on package COMMON-LISP violated"),
        ("(flet ((list (x) x)) (list 1))", "Lock on package COMMON-LISP violated"),
        ("(let ((nil 1)) nil)", "names a constant"),
        ("(setq :a 1)", "constant"),
        ("(1 2)", "illegal function call"),
        ("(funcall 'if 1 2)", "names a macro or special form"),
        ("(aref (vector 1 2) 5)", "Invalid index 5 for a sequence of length 2"),
        ("(sqrt -1)", "complex number"),
        ("(defclass a () ())", "DEFCLASS is not supported here"),
        ("(setf (foo 1) 2)", "(FOO 1) is not a place"),
    ]);
}

#[test]
fn code_that_cannot_be_read_is_not_evaluated_at_all() {
    check_errors(&[
        (
            "(setq x 1) (foo",
            "end of file: the list of line 1 is not finished\nNothing was evaluated.",
        ),
        ("(a)\n(b))", "line 2: unmatched close parenthesis"),
        ("\"abc", "the string of line 1 has no end"),
        ("#.(+ 1 2)", "#. runs code while reading, which is refused"),
        ("'#.(+ 1 2)", "#. runs code while reading, which is refused"),
        (
            "(read-from-string \"#.(+ 1 2)\")",
            "#. runs code while reading, which is refused",
        ),
        ("#+sbcl 1", "#+ and #- are not read here"),
        ("#1=(a #1#)", "the reader macro #1 is not read here"),
        ("#p\"/etc/passwd\"", "the reader macro #p is not read here"),
        ("(sb-ext:run-program \"ls\")", "Package SB-EXT does not exist."),
        ("(a . b c)", "more than one value behind the dot"),
        ("( . a)", "a dot that is not inside a list"),
        ("(a . )", "nothing behind the dot"),
        ("#\\nosuchname", "no character is called nosuchname"),
        ("1/0", "denominator of zero"),
        ("1e99", "out of range"),
        ("'", "what the quote or comma stands before of line 1 is not finished"),
        ("(')", "a quote or comma with nothing behind it"),
    ]);
    let mut session = Session::new().unwrap();
    assert!(session.evaluate("(setq x 1) (foo").is_err());
    assert!(session.evaluate("x").is_err(), "X was not set");
}

#[test]
fn packages_of_the_language_are_understood() {
    check(&[
        ("(cl:car '(1))", "1"),
        (
            "cl-user::foo 5",
            "error: UNBOUND-VARIABLE: The variable COMMON-LISP-USER::FOO is unbound.\nin: FOO",
        ),
        ("'keyword:a", ":A"),
    ]);
}

#[test]
fn nothing_reaches_outside() {
    for code in [
        "(open \"/etc/passwd\")",
        "(load \"x\")",
        "(require :asdf)",
        "(get-universal-time)",
        "(run-program \"ls\")",
    ] {
        check_errors(&[(code, "is undefined")]);
    }
}

#[test]
fn a_session_keeps_functions_variables_macros_and_structures() {
    let mut session = Session::new().unwrap();
    for (code, expected) in [
        ("(defun square (x) (* x x))", "SQUARE"),
        ("(defmacro twice (x) `(progn ,x ,x))", "TWICE"),
        ("(defparameter *n* 3)", "*N*"),
        ("(defstruct point x y)", "POINT"),
        ("(twice (incf *n* (square 2)))", "11"),
        ("(defvar *n* 100) *n*", "*N*\n11"),
        ("(setq p (make-point :x 1 :y 2))", "#S(POINT :X 1 :Y 2)"),
        ("(setf (point-x p) (square 5)) p", "25\n#S(POINT :X 25 :Y 2)"),
        ("(defun square (x) (list x))", "SQUARE"),
        ("(square 2)", "(2)"),
        ("(defmacro twice (x) `(list ,x))", "TWICE"),
        ("(twice 1)", "(1)"),
    ] {
        assert_eq!(session.evaluate(code).as_deref(), Ok(expected), "for {code}");
    }
}

#[test]
fn dynamic_bindings_are_undone_when_an_error_leaves_them() {
    let mut session = Session::new().unwrap();
    session.evaluate("(defvar *depth* 0)").unwrap();
    assert!(session.evaluate("(let ((*depth* 1)) (error \"out\"))").is_err());
    assert!(session.evaluate("(let ((*depth* 2)) (loop))").is_err());
    assert!(
        session
            .evaluate("(let ((*depth* 3)) (labels ((f () (list (f)))) (f)))")
            .is_err()
    );
    assert!(
        session
            .evaluate("(let ((*standard-output* (make-string-output-stream))) (error \"out\"))")
            .is_err()
    );
    assert_eq!(session.evaluate("*depth* (princ 1)").as_deref(), Ok("0\n1\n1"));
}

#[test]
fn cleanup_forms_run_on_every_way_out() {
    check(&[
        (
            "(let ((r nil)) (block b (unwind-protect (return-from b 1) (push 'c r))) r)",
            "(C)",
        ),
        (
            "(let ((r nil)) (catch 'x (unwind-protect (throw 'x 1) (push 'c r))) r)",
            "(C)",
        ),
        (
            "(let ((r nil)) (tagbody (unwind-protect (go out) (push 'c r)) out) r)",
            "(C)",
        ),
        (
            "(let ((r nil)) (handler-case (unwind-protect (error \"x\") (push 'c r)) (error () r)))",
            "(C)",
        ),
        ("(block b (unwind-protect (return-from b 1) (return-from b 2)))", "2"),
        ("(multiple-value-list (unwind-protect (values 1 2) 3))", "(1 2)"),
    ]);
}

#[test]
fn functions_and_tables_are_printed_for_people() {
    check(&[
        ("#'car", "#<FUNCTION CAR>"),
        ("(lambda (x) x)", "#<FUNCTION (LAMBDA)>"),
        ("(defun f () 1) #'f", "F\n#<FUNCTION F>"),
        ("(make-hash-table :test 'equal)", "#<HASH-TABLE :TEST EQUAL :COUNT 0>"),
        ("(handler-case (error \"x\") (error (e) e))", "#<SIMPLE-ERROR \"x\">"),
    ]);
}

#[test]
fn bounds_are_no_conditions_that_a_program_could_handle() {
    check_errors(&[
        (
            "(handler-case (labels ((f () (list (f)))) (f)) (t () 'handled))",
            "recursion deeper than",
        ),
        ("(ignore-errors (let ((x nil)) (loop (push x x))))", "Heap exhausted"),
    ]);
}

#[test]
fn the_prelude_is_unpacked_as_it_was_written() {
    let forms = |text: &[char]| {
        let mut world = crate::world::World::new(crate::bounds::Bounds::DEFAULT);
        let mut reader = crate::reader::Reader::new(text);
        let mut forms = Vec::new();
        while let Some(form) = reader.next(&mut world).unwrap() {
            forms.push(crate::printer::print_within(
                &world,
                form,
                crate::printer::Style::Readable,
                100_000,
            ));
        }
        forms
    };
    let written = [
        include_str!("../prelude/core.lisp"),
        include_str!("../prelude/places.lisp"),
        include_str!("../prelude/control.lisp"),
        include_str!("../prelude/sequences.lisp"),
        include_str!("../prelude/types.lisp"),
        include_str!("../prelude/loop.lisp"),
    ];
    assert!(
        written.iter().all(|text| text.is_ascii()),
        "the prelude is unpacked byte by byte"
    );
    let written: Vec<char> = written.concat().chars().collect();
    assert_eq!(forms(&crate::prelude::text()), forms(&written));
}
