//! Programs that want more than there is. Each ends with an error that says which bound it reached, on a thread with a
//! stack as small as a component's, and leaves the session usable.

use crate::Session;
use crate::bounds::Bounds;

/// A component has a shadow stack of 64 KiB. Frames of an unoptimised native build are several times larger, and the
/// real stack of a component is another one; so the evaluator passes here with a margin.
const STACK: usize = 256 << 10;

/// Smaller bounds than the skill's, so that unoptimised tests are quick.
const BOUNDS: Bounds = Bounds {
    work: 500_000,
    frames: 20_000,
    objects: 60_000,
    payload: 1 << 20,
    output: 64 << 10,
};

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap()
}

/// What it gives, and that the session works after it.
fn survived(code: &str) -> String {
    survived_within(BOUNDS, code)
}

fn survived_within(bounds: Bounds, code: &str) -> String {
    let code = code.to_owned();
    on_a_small_stack(move || {
        let mut session = Session::with_bounds(bounds).unwrap();
        let text = match session.evaluate(&code) {
            Ok(text) => text,
            Err(text) => format!("error: {text}"),
        };
        assert_eq!(session.evaluate("(+ 1 2)").as_deref(), Ok("3"), "after {code}");
        text
    })
}

fn ends_with(code: &str, expected: &str) {
    let text = survived(code);
    assert!(
        text.contains(expected),
        "{code} gave {}",
        text.chars().take(500).collect::<String>()
    );
}

#[test]
fn endless_loops_end_after_so_many_steps() {
    for code in [
        "(loop)",
        "(loop (+ 1 1))",
        "(do () (nil))",
        "(tagbody a (go a))",
        "(defun f () (f)) (f)",
        "(labels ((f (x) (f x))) (f 1))",
        "(handler-case (loop) (error () 'caught))",
        "(unwind-protect (loop) (loop))",
        "(let ((x (list 1))) (setf (cdr x) x) (dolist (i x) i))",
        "(mapcar #'1+ (let ((x (list 1))) (setf (cdr x) x) x))",
        "(let ((x (list 1))) (setf (cdr x) x) (equal x (copy-list x)))",
        "(let ((x (list 1)) (y (list 1))) (setf (cdr x) x (cdr y) y) (equal x y))",
        "(defmacro m () '(m)) (m)",
    ] {
        let text = survived(code);
        assert!(
            text.contains("stopped after 500000 steps") || text.contains("circular"),
            "{code} gave {text}"
        );
    }
}

#[test]
fn costly_builtins_are_charged_for_what_they_do() {
    ends_with("(let ((x (make-list 20000))) (loop (length x)))", "stopped after");
    ends_with(
        "(let ((x (make-list 10000))) (loop (equal x (reverse x))))",
        "stopped after",
    );
    ends_with(
        "(let ((s (make-string 100000))) (loop (string-upcase s)))",
        "stopped after",
    );
    ends_with("(let ((n (expt 3 30000))) (loop (* n n)))", "stopped after");
    ends_with("(let ((n (expt 3 30000))) (loop (princ-to-string n)))", "stopped after");
    ends_with(
        "(let ((s (make-string 100000))) (loop (format nil \"~a\" s)))",
        "stopped after",
    );
    ends_with("(loop (make-string 100000))", "stopped after");
}

#[test]
fn endless_recursion_is_an_error_and_no_crash() {
    for code in [
        "(defun f (n) (+ 1 (f n))) (f 1)",
        "(defun f () (list (g))) (defun g () (list (f))) (f)",
        "(labels ((f (x) (cons x (f x)))) (f 1))",
        "(defun f (x) (mapcar #'f (list x))) (f 1)",
        "(defun f () (let ((*standard-output* t)) (f) 1)) (f)",
        "(defun f () (handler-case (f) (error () 1))) (f)",
        "(defun f () (unwind-protect (f) 1)) (f)",
        "(defun f () (block b (f) 1)) (f)",
        "(defun f () (catch 'x (f) 1)) (f)",
        "(defmacro m () '(list (m))) (m)",
        "(defun f () (eval '(list (f)))) (f)",
        "(defun f () (multiple-value-list (f))) (f)",
        "(defun f (&optional (x (f))) x) (f)",
    ] {
        let text = survived(code);
        assert!(
            text.contains("recursion deeper than 20000 frames"),
            "{code} gave {text}"
        );
    }
}

#[test]
fn the_bounds_of_the_skill_hold_on_a_small_stack_too() {
    let text = survived_within(Bounds::DEFAULT, "(defun f (n) (+ 1 (f n))) (f 1)");
    assert!(text.contains("recursion deeper than 100000 frames"), "{text}");
    let text = survived_within(Bounds::DEFAULT, "(let ((x nil)) (loop (push 1 x)))");
    assert!(text.contains("more than 400000 conses"), "{text}");
}

#[test]
fn recursion_far_deeper_than_the_native_stack_works() {
    let code = "(defun depth (n) (if (= n 0) 0 (+ 1 (depth (- n 1))))) (depth 9000)";
    assert_eq!(survived(code), "DEPTH\n9000");
}

#[test]
fn a_tail_call_takes_no_frame() {
    let code = "(defun count-down (n) (if (= n 0) 'done (count-down (- n 1)))) (count-down 20000)";
    assert_eq!(
        survived_within(Bounds { frames: 200, ..BOUNDS }, code),
        "COUNT-DOWN\nDONE"
    );
}

#[test]
fn memory_eaters_end_with_a_full_heap() {
    for code in [
        "(let ((x nil)) (loop (push 1 x)))",
        "(defvar *x* nil) (loop (push (list 1 2 3) *x*))",
        "(let ((x (list 1))) (loop (setq x (append x x))))",
        "(let ((h (make-hash-table)) (n 0)) (loop (setf (gethash (incf n) h) (list n))))",
        "(let ((x nil)) (loop (push (make-array 1000) x)))",
        "(let ((x nil)) (loop (push (make-string 1000) x)))",
        "(let ((x nil)) (loop (push (expt 7 10000) x)))",
        "(let ((f nil)) (loop (let ((g f)) (setq f (lambda () g)))))",
        "(let ((x nil)) (loop (push (make-hash-table) x)))",
    ] {
        let text = survived(code);
        assert!(
            text.contains("Heap exhausted") || text.contains("stopped after"),
            "{code} gave {}",
            text.chars().take(300).collect::<String>()
        );
    }
    ends_with(
        "(let ((s \"ab\")) (loop (setq s (concatenate 'string s s))))",
        "longer than 250000 items",
    );
    ends_with("(make-list 100000000)", "longer than 250000 items");
    ends_with("(make-string 100000000000)", "longer than 250000 items");
    ends_with("(make-array 10000000000000000000000)", "not of type");
    ends_with("(expt 2 100000000)", "computes with up to 100000");
    ends_with("(ash 1 1000000000000)", "computes with up to 100000");
    ends_with("(let ((n 3)) (loop (setq n (* n n))))", "computes with up to 100000");
    ends_with("(format nil \"~1000000000a\" 1)", "no width");
    ends_with("(format nil \"~v%\" 1000000000)", "no width");
    let bounds = Bounds {
        work: 3_000_000,
        ..BOUNDS
    };
    for code in [
        "(dotimes (i 30000) (intern (format nil \"S~d\" i)))",
        "(let ((x nil)) (loop (push (gensym) x)))",
    ] {
        let text = survived_within(bounds, code);
        assert!(text.contains("Too many symbols"), "{code} gave {text}");
    }
}

#[test]
fn garbage_is_collected_and_does_not_count() {
    let bounds = Bounds {
        work: 3_000_000,
        ..BOUNDS
    };
    let code = "(let ((n 0)) (dotimes (i 10000 n) (setq n (length (list i i i i i i i i)))))";
    assert_eq!(survived_within(bounds, code), "8");
    assert_eq!(survived_within(bounds, "(dotimes (i 30000) (gensym))"), "NIL");
    assert_eq!(survived("(dotimes (i 80) (make-string 20000))"), "NIL");
}

#[test]
fn a_session_that_holds_too_much_begins_anew_and_says_so() {
    on_a_small_stack(|| {
        let mut session = Session::with_bounds(BOUNDS).unwrap();
        let error = session
            .evaluate("(defvar *x* nil) (loop (push (make-list 10000) *x*))")
            .unwrap_err();
        assert!(error.contains("Heap exhausted"), "{error}");
        let text = session.evaluate("(+ 1 2)").unwrap();
        assert!(text.ends_with('3'), "{text}");
        assert!(
            session
                .evaluate("(let ((x (make-list 1000))) (length x))")
                .unwrap()
                .ends_with("1000")
        );
    });
}

#[test]
fn circular_values_are_printed_within_a_bound() {
    for code in [
        "(let ((x (list 1 2))) (setf (cdr x) x) x)",
        "(let ((x (list 1 2))) (setf (car x) x) x)",
        "(let ((v (vector 1 2))) (setf (aref v 0) v) v)",
        "(let ((x (list 'quote 1))) (setf (cadr x) x) x)",
    ] {
        let text = survived(code);
        assert!(
            text.ends_with("..."),
            "{code} gave the end {:?}",
            &text[text.len().saturating_sub(50)..]
        );
        assert!(text.len() < 70_000);
    }
    ends_with("(let ((x (list 1))) (setf (cdr x) x) (princ-to-string x))", "circular");
    ends_with("(let ((x (list 1))) (setf (cdr x) x) (error \"~a\" x))", "circular");
    ends_with(
        "(let ((x (list 1))) (setf (cdr x) x) (car 'x) x)",
        "is not of type LIST",
    );
    ends_with("(let ((x (list 1))) (setf (cdr x) x) (length x))", "circular");
    ends_with("(let ((x (list 1))) (setf (cdr x) x) (+ x 1))", "is not of type NUMBER");
    ends_with(
        "(let ((x (list 1))) (setf (cdr x) x) (eval (cons 'progn x)))",
        "stopped after",
    );
    ends_with(
        "(let ((x (list 1))) (setf (cdr x) x) (funcall (eval (list 'lambda x 1))))",
        "error",
    );
}

#[test]
fn deep_nesting_is_refused_by_the_reader_and_harmless_when_made() {
    ends_with(&"(".repeat(100_000), "nested deeper than 500");
    ends_with(
        &format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        "nested deeper than 500",
    );
    ends_with(&"'".repeat(100_000), "nested deeper than 500");
    ends_with(&"`".repeat(499), "end of file");
    ends_with(&"#(".repeat(100_000), "nested deeper than 500");
    ends_with(&format!("{}1{}", "`(".repeat(200), ")".repeat(200)), "`(`(`(`(1))))");
    ends_with(&"#|".repeat(100_000), "has no end");
    ends_with(&"1 ".repeat(100_000), "1");
    ends_with(&"()".repeat(100_000), "NIL");
    ends_with(&"\"\"".repeat(50_000), "\"\"");
    ends_with(
        "(let ((x nil)) (dotimes (i 10000) (setq x (list x))) (princ x) (equal x (list x)))",
        "NIL",
    );
    ends_with(
        "(let ((x nil)) (dotimes (i 9000) (setq x (list x))) (eval x))",
        "illegal function call",
    );
    ends_with("(let ((x 1)) (dotimes (i 9000) (setq x (list '+ x))) (eval x))", "1");
    ends_with(
        "(let ((x nil)) (dotimes (i 3000) (setq x (list x))) (length (copy-tree x)))",
        "1",
    );
    ends_with(
        "(read-from-string (make-string 100000 :initial-element #\\())",
        "nested deeper than 500",
    );
    ends_with(
        "(format nil (apply #'concatenate 'string (loop repeat 50 collect \"~{\")))",
        "no ~} for ~{",
    );
    let nested = format!(
        "(format nil \"{}~a{}\" '((((((((((((1)))))))))))))",
        "~{".repeat(12),
        "~}".repeat(12)
    );
    ends_with(&nested, "nested deeper than 8");
}

#[test]
fn a_long_output_is_cut_and_says_so() {
    let text = survived("(dotimes (i 15000) (print i))");
    assert!(text.contains("[output beyond this point was dropped]"));
    assert!(text.len() < 70_000);
}

#[test]
fn a_program_that_is_too_long_is_refused() {
    ends_with(&" ".repeat(300_000), "at most 262144 are evaluated");
}

#[test]
fn long_numbers_are_charged_for_the_time_they_take() {
    for code in [
        "(let ((n (/ (expt 3 20000) (expt 7 9000)))) (loop (setq n (+ n 1/3))))",
        "(let ((n (/ (expt 3 5000) (expt 7 2000))) (m (/ (expt 5 3000) (expt 11 1500)))) (loop (+ n m)))",
        "(loop (gcd (expt 3 60000) (expt 7 30000)))",
        "(let ((n (expt 3 30000)) (m (expt 7 5000))) (loop (floor n m)))",
        "(let ((n (expt 3 30000)) (m (expt 7 5000))) (loop (/ n m)))",
        "(let ((n (expt 3 30000))) (loop (isqrt n)))",
        "(let ((s (make-string 20000 :initial-element #\\7))) (loop (parse-integer s)))",
        "(let ((s (make-string 20000 :initial-element #\\7))) (loop (read-from-string s)))",
        "(loop (format nil \"~d\" (expt 3 30000)))",
        "(loop (princ-to-string 1.234567d-300))",
        "(let ((x (make-list 100 :initial-element 1.234567d-300))) (loop (princ-to-string x)))",
        "(let ((n 1/3)) (loop (setq n (* n n))))",
        "(let ((n (expt 3 30000))) (loop (* n 1/5)))",
    ] {
        ends_with(code, "stopped after");
    }
}
