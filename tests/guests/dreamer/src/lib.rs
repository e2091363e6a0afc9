//! A gate and an actuator that use the standard library as if they were a program of their own: they print, read
//! clocks, draw random numbers, read the environment, open files and sockets, sleep, count, and exit.
//!
//! What is done is the first word of the command. Each gate call that comes back rejects, with what was seen as its
//! reason, so that a test can compare what two calls saw.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use passepartout_sdk::{Action, Description, Function, Rejection, Signal, Skill, Verdict, export};

/// What should not outlive a decision.
static CALLS: AtomicU64 = AtomicU64::new(0);

struct Dreamer;

impl Skill for Dreamer {
    fn describe() -> Description {
        eprintln!("the dreamer describes itself");
        Description::new("dreamer", "0.1.0")
            .function(Function::Gate)
            .function(Function::Act)
            .gate_target("DREAM")
            .target("DREAM")
    }

    fn gate(action: &Action, _: &Signal) -> Verdict {
        let command = action.text("payload.cmd").unwrap_or_default();
        match command.strip_prefix("act ") {
            Some(_) => Verdict::Pass,
            None => Rejection::new("seen", dream(&command)).into(),
        }
    }

    fn act(action: &Action, _: &Signal) -> Result<String, String> {
        let command = action.text("payload.cmd").unwrap_or_default();
        Ok(dream(command.strip_prefix("act ").unwrap_or(&command)))
    }
}

/// Does what is asked, and says what came of it.
fn dream(what: &str) -> String {
    match what {
        "look" => look(),
        "count" => format!("call {}", CALLS.fetch_add(1, Ordering::Relaxed) + 1),
        "print" => {
            for line in 1..=3 {
                println!("out {line} of {}", 3);
                eprintln!("err {line} of {}", 3);
            }
            print!("without an end");
            match std::io::stdout().flush() {
                Ok(()) => "printed".to_owned(),
                Err(error) => error.to_string(),
            }
        }
        "chatter" => loop {
            eprintln!("and another line");
        },
        "sleep" => {
            std::thread::sleep(Duration::from_secs(3_600));
            "slept".to_owned()
        }
        "wait" => {
            let end = Instant::now() + Duration::from_millis(1);
            while Instant::now() < end {}
            "waited".to_owned()
        }
        "exit" => std::process::exit(3),
        "panic" => panic!("a nightmare"),
        other => format!("nothing is done for `{other}`"),
    }
}

/// Everything that could tell one call from another.
fn look() -> String {
    let mut table = HashMap::new();
    for key in 0..8 {
        table.insert(key, ());
    }
    let order: Vec<i32> = table.keys().copied().collect();
    let drawn = RandomState::new().hash_one("a text");
    let clock = Instant::now();
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let passed = clock.elapsed();
    let mut input = String::new();
    let read = std::io::stdin().read_to_string(&mut input);
    format!(
        "order {order:?} drawn {drawn} since {since:?} passed {passed:?} variables {} arguments {} file {:?} made {:?} \
         folder {} address {} read {read:?} calls {}",
        std::env::vars().count(),
        std::env::args().count(),
        std::fs::read("/etc/passwd").map_err(|error| error.kind()),
        std::fs::write("/tmp/dream", "x").map_err(|error| error.kind()),
        std::fs::read_dir("/").is_ok(),
        std::net::TcpStream::connect(("127.0.0.1", 9105)).is_ok(),
        CALLS.load(Ordering::Relaxed),
    )
}

export!(Dreamer);
