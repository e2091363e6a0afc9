//! Evaluates the code given as arguments, one session for all of them: `cargo run --example eval -- '(+ 1 2)'`.

fn main() {
    let mut session = match repl::Session::new() {
        Ok(session) => session,
        Err(error) => return eprintln!("{error}"),
    };
    for code in std::env::args().skip(1) {
        match session.evaluate(&code) {
            Ok(text) => println!("{text}"),
            Err(text) => println!("error: {text}"),
        }
    }
}
