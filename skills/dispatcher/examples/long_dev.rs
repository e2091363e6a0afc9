#![allow(missing_docs)]
fn main() {
    for (name, unit) in [("and", "&& echo b "), ("pipe", "| cat "), ("lines", "echo a\n"), ("words", "a "), ("quoted", "\"a b\" "), ("subst", "$(ls) "), ("vars", "x=$x$y; ")] {
        for bytes in [1000, 4000, 16000] {
            let command = format!("echo a {}", unit.repeat(bytes / unit.len()));
            let start = std::time::Instant::now();
            let (verdict, why) = dispatcher::dev(&command);
            println!("{name} {bytes}: {} µs {verdict} {}", start.elapsed().as_micros(), why.chars().take(60).collect::<String>());
        }
    }
}
