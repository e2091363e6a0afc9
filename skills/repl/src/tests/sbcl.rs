//! What we print is what the real SBCL prints, for a table of expressions, in one run of it.

use std::io::Write;
use std::process::{Command, Stdio};

use super::evaluated;
use crate::Session;

/// Expressions, one a line. Errors only have to be errors in both.
const EXPRESSIONS: &str = include_str!("expressions.lisp");

/// Reads expressions from the lines behind it and prints their values, one a line, and a line of dashes.
const DRIVER: &str = r#"
(setf *print-pretty* t *print-right-margin* 100000 *read-default-float-format* 'single-float)
(declaim (sb-ext:muffle-conditions warning))
(loop for line = (read-line *standard-input* nil)
      while line
      do (let ((sb-ext:*evaluator-mode* :interpret) (*gensym-counter* 1))
           (handler-case
               (let ((values (let ((*error-output* (make-broadcast-stream)) (*standard-output* (make-broadcast-stream)))
                               (multiple-value-list (eval (read-from-string line))))))
                 (dolist (value values) (prin1 value) (terpri)))
             (error () (write-line "error"))))
         (write-line "----"))
(finish-output)
(sb-ext:exit :abort t)
"#;

fn real_lisp(expressions: &[&str]) -> Vec<String> {
    let mut child = Command::new("sbcl")
        .args(["--noinform", "--no-sysinit", "--no-userinit", "--disable-debugger"])
        .args([
            "--eval",
            &DRIVER
                .replace('\n', " ")
                .replacen("(setf", "(progn (setf", 1)
                .replace(":abort t)", ":abort t))"),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sbcl is not installed; it is what this evaluator is compared with");
    let mut input = child.stdin.take().unwrap();
    let lines = format!("{}\n", expressions.join("\n"));
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split("----\n")
        .map(|part| part.trim_end_matches('\n').to_owned())
        .collect()
}

#[test]
fn expressions_have_the_values_that_sbcl_gives_them() {
    let expressions: Vec<&str> = EXPRESSIONS
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with(';'))
        .collect();
    assert!(expressions.len() > 200, "only {} expressions", expressions.len());
    let expected = real_lisp(&expressions);
    assert_eq!(expected.len(), expressions.len() + 1, "sbcl stopped early");
    let mut session = Session::new().unwrap();
    let mut different = Vec::new();
    for (expression, expected) in expressions.iter().zip(&expected) {
        let ours = evaluated(&mut session, expression);
        let ours = if ours.starts_with("error: ") {
            "error".to_owned()
        } else {
            ours
        };
        if ours != *expected {
            different.push(format!("{expression}\n  SBCL: {expected}\n  ours: {ours}"));
        }
    }
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different.join("\n")
    );
}
