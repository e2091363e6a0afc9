#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]
use std::collections::BTreeMap;
fn main() {
    let text = std::fs::read_to_string("/work/shared/corpora/commands-given.jsonl").unwrap();
    let want = std::env::args().nth(1).unwrap_or_default();
    let mut reasons: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut times = Vec::new();
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (label, command) = (row["label"].as_str().unwrap(), row["command"].as_str().unwrap());
        let start = std::time::Instant::now();
        let (verdict, why) = { if std::env::var("P").is_ok() { for _ in 0..20 { dispatcher::dev(command); } } dispatcher::dev(command) };
        times.push(start.elapsed().as_nanos() as u64 / 100);
        *counts.entry((label.to_owned(), verdict)).or_default() += 1;
        if format!("{label}-{verdict}") == want {
            let entry = reasons.entry(why).or_default();
            entry.0 += 1;
            if entry.1.len() < 400 { entry.1.push(command.to_owned()); }
        }
    }
    times.sort_unstable();
    println!("{counts:?} p50 {} p99 {} max {} (tenth of µs)", times[times.len() / 2], times[times.len() * 99 / 100], times[times.len() - 1]);
    let mut all: Vec<_> = reasons.into_iter().collect();
    all.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    let n: usize = std::env::args().nth(2).map_or(3, |n| n.parse().unwrap());
    for (why, (count, examples)) in all.iter().take(std::env::args().nth(3).map_or(60, |n| n.parse().unwrap())) {
        println!("{count:5} {why}");
        for example in examples.iter().take(n) { println!("          {}", example.replace('\n', "⏎").chars().take(900).collect::<String>()); }
    }
}
