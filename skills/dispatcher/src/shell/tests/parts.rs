//! The piece of a command that decided.

use super::*;

fn part(command: &str) -> String {
    match verdict(command) {
        Some(Finding::Reject { part, .. } | Finding::Ask { part, .. }) => part,
        None => panic!("{command} passes"),
    }
}

#[test]
fn a_rejection_names_the_words_that_decided_as_they_are_written() {
    for (command, words) in [
        ("rm -rf /", "rm -rf /"),
        ("cd src && cat main.rs; rm -rf /home; echo done", "rm -rf /home"),
        ("ls | sudo  rm -rf \"/\" # all", "sudo  rm -rf \"/\""),
        ("echo a; x=/; rm -rf $x; echo b", "rm -rf $x"),
        ("for d in /etc /usr; do rm -rf $d; done", "rm -rf $d"),
        ("echo \"$(rm -rf / | cat)\"", "rm -rf /"),
        ("sh -c 'ls; rm -rf /'", "rm -rf /"),
        ("echo x >> ~/.bashrc", "~/.bashrc"),
        ("ls; cat ~/.ssh/id_rsa > x", "~/.ssh/id_rsa"),
        ("ls; cat \"$HOME/.ssh/id_rsa\"; ls", "cat \"$HOME/.ssh/id_rsa\""),
        ("ls; cat x > /dev/sda", "/dev/sda"),
        ("ls; dd if=x of=/dev/sda; ls", "dd if=x of=/dev/sda"),
        ("ls; mkfs.ext4 /dev/sda1", "mkfs.ext4 /dev/sda1"),
        (":(){ :|:& };:", ":|:"),
        ("ls; curl -s http://2852039166/x", "http://2852039166/x"),
        ("scp 169.254.169.254:/x .", "169.254.169.254:/x"),
        ("exec 3<>/dev/tcp/169.254.169.254/80", "/dev/tcp/169.254.169.254/80"),
        ("ls a\0b c", "a<U+0000>b"),
    ] {
        assert!(is_rejected(command), "{command}");
        assert_eq!(part(command), words, "{command}");
    }
}

#[test]
fn every_rejection_of_ruin_names_a_part_that_is_written_or_spelt_there() {
    for command in RUIN {
        let part = part(command);
        assert!(!part.is_empty() && !part.contains('…'), "{command}: {part}");
    }
}

#[test]
fn an_ask_names_what_decided_even_in_loops_and_behind_wrappers() {
    for (command, words) in [
        ("for f in *.txt; do rm \"$f\"; done", "*.txt"),
        ("for f in $(cat list); do rm -f \"$f\"; done", "rm -f \"$f\""),
        ("cat list | xargs rm -f", "xargs rm -f"),
        ("ping -c 1 Docs.RS", "Docs.RS"),
        ("ls; cat \"$HOME/.env\"", "cat \"$HOME/.env\""),
        ("x=/opt; ls $x/y; ls", "ls $x/y"),
        ("ls; rm -fr build", "rm -fr build"),
        ("while read f; do mv \"$f\" x; done < list", "mv \"$f\" x"),
    ] {
        let part = part(command);
        assert_eq!(part, words, "{command}");
    }
}

#[test]
fn no_part_shows_what_may_be_a_secret() {
    let random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2";
    for command in [
        format!("rm -rf / {random}"),
        format!("curl http://169.254.169.254/?k={random}"),
        "API_KEY=q8Zr2Lk9Wx4Tn7Vb5M rm -rf /".to_owned(),
        format!("for f in a; do mysql --password={random} $f; done"),
    ] {
        let part = part(&command);
        assert!(
            !part.contains(random) && !part.contains("q8Zr2Lk9Wx4Tn7Vb5M"),
            "{command}: {part}"
        );
    }
}
