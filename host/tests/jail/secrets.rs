//! What may hold secrets in a workspace and is not there for a command that no person was asked about, whatever it is called.

use crate::House;
use crate::unasked::unasked;
use passepartout_host::capability::process::Writes;

/// A repository with one commit of everything that is in the workspace.
fn committed(house: &House) {
    let line = "git init -q && git add -f . && git -c user.name=a -c user.email=a@b commit -qm one";
    assert!(house.works_outside(line));
}

#[test]
fn an_environment_file_that_git_has_as_it_is_is_there_and_one_that_was_changed_is_not() {
    let house = unasked();
    std::fs::create_dir(house.workspace().join("svc")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(house.workspace().join(name), text).unwrap();
    put("svc/.env", "A=DEFAULT\n");
    put("other.env", "A=DEFAULT\n");
    put("code.rs", "fn one() {}\n");
    committed(&house);
    put("code.rs", "fn two() {}\n");
    assert_eq!(house.prints("git status --short"), " M code.rs\n");
    assert!(house.prints("git diff").contains("+fn two() {}"));
    assert_eq!(house.prints("grep -rh DEFAULT ."), "A=DEFAULT\nA=DEFAULT\n");
    // What somebody wrote there since is nowhere else.
    put("svc/.env", "A=OWN\n");
    put("other.env", "A=OWN\n");
    assert!(!house.run("grep -rh OWN .; git diff").stdout.contains("OWN"));
    assert_eq!(
        house.prints("git status --short"),
        " M code.rs\n M other.env\n M svc/.env\n"
    );
    // Nor does its time alone say that it was.
    put("svc/.env", "A=DEFAULT\n");
    put("other.env", "A=DEFAULT\n");
    assert!(house.prints("git diff").contains("+fn two() {}"));
}

#[test]
fn what_a_gate_asks_about_by_a_word_in_its_name_no_folder_and_no_pattern_shows() {
    let house = unasked();
    let put = |name: &str, text: &str| {
        let path = house.workspace().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("tracked/credentials.json", "MARK tracked\n");
    committed(&house);
    for name in [
        "credentials.json",
        "config/credentials.yml",
        "secrets.yaml",
        "secrets/prod.txt",
        "password.txt",
        "token.json",
        "client_secret.json",
        ".secrets",
        "api_token.txt",
        "application-secrets.properties",
        ".env-prod",
        ".env/prod",
        ".env.d/prod",
        ".flaskenv",
        ".dev.vars",
        ".vault_pass",
        ".streamlit/secrets.toml",
    ] {
        put(name, "MARK\n");
    }
    for line in ["grep -rh MARK .", "cat *.txt", "tac c*", "ls | xargs cat", "cat */*"] {
        assert!(!house.run(line).stdout.contains("MARK\n"), "{line}");
    }
    put("tokenizer.txt", "MARK plain\n");
    put("token.rs", "MARK code\n");
    put(".env.example", "MARK sample\n");
    let mut shown: Vec<String> = house.run("grep -rh MARK .").stdout.lines().map(str::to_owned).collect();
    shown.sort();
    assert_eq!(shown, ["MARK code", "MARK plain", "MARK sample", "MARK tracked"]);
}

#[test]
fn a_key_in_a_text_of_any_name_is_not_there_nor_is_any_other_name_of_what_is_hidden() {
    let mut house = unasked();
    let put = |name: &str, text: &str| {
        let path = house.workspace().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let key = "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\\nTOKEN";
    for name in ["svc.json", "deploy", "values.yaml", "a.conf", "notes.txt", "x/bundle"] {
        put(name, &format!("{{\"k\": \"{key}\"}}\n"));
    }
    put("age", &format!("AGE-SECRET-KEY-1{}QD\nTOKEN\n", "GFPYYSJZ".repeat(7)));
    put(
        "main.rs",
        "const KEY: &str = \"-----BEGIN PRIVATE KEY-----\\nTOKEN\";\n",
    );
    put(".env", "A=TOKEN\n");
    put("id_rsa", "TOKEN\n");
    for (own, other) in [(".env", "hard"), ("id_rsa", "x/plain")] {
        std::fs::hard_link(house.workspace().join(own), house.workspace().join(other)).unwrap();
    }
    assert_eq!(house.run("grep -rl TOKEN .").stdout, "./main.rs\n");
    house.writes = Writes::Allowed;
    assert_eq!(house.run("grep -rl TOKEN .").stdout, "./main.rs\n");
    house.asked = true;
    house.refuses("cat x/plain");
}

#[test]
fn of_gits_settings_what_opens_something_is_not_there_and_git_works() {
    let mut house = unasked();
    std::fs::write(house.workspace().join("code.rs"), "fn one() {}\n").unwrap();
    committed(&house);
    std::fs::create_dir_all(house.workspace().join(".git/modules/sub/refs")).unwrap();
    std::fs::create_dir_all(house.workspace().join(".git/modules/sub/objects")).unwrap();
    let module = "[remote \"origin\"]\n\turl = https://tok-TOKEN@github.com/a/sub\n";
    std::fs::write(house.workspace().join(".git/modules/sub/config"), module).unwrap();
    std::fs::write(
        house.workspace().join(".git/modules/sub/HEAD"),
        "ref: refs/heads/main\n",
    )
    .unwrap();
    assert!(house.works_outside(
        "git remote add origin https://me:TOKEN@github.com/a/b && git config http.extraHeader 'Authorization: TOKEN' && \
         git config user.name Ada && cp .git/config .git/config.bak"
    ));
    for writes in [Writes::Refused, Writes::Allowed] {
        house.writes = writes;
        let found = house.prints(
            "grep -rh github.com .; find . -type f -exec grep -H TOKEN {} + ; cat .git/config; git config -l",
        );
        assert!(
            !found.contains("TOKEN") && found.contains("hidden@github.com/a/b"),
            "{found}"
        );
        assert_eq!(
            house.prints("git config user.name; git remote; git status --short"),
            "Ada\norigin\n"
        );
    }
    house.asked = true;
    assert!(house.prints("cat .git/config").contains("TOKEN"));
}

/// Whether a process sleeps for so long.
fn runs(long: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let told = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    told.into_iter()
        .any(|line| line == format!("sleep\0{long}\0").as_bytes())
}

#[test]
fn what_would_have_been_hidden_and_came_while_it_ran_is_not_told() {
    let house = unasked();
    let put = |name: &str| std::fs::write(house.workspace().join(name), "DB=TOKEN\n").unwrap();
    put(".env");
    put("plain");
    let line = "echo begun; until grep -q . go 2> /dev/null; do sleep 0.0517; done; grep -rh DB= .";
    for replace in [true, false] {
        let output = std::thread::scope(|scope| {
            let running = scope.spawn(|| house.run(line));
            crate::wait_until("it runs", || runs("0.0517"));
            if replace {
                // As an editor saves.
                put("new");
                std::fs::rename(house.workspace().join("new"), house.workspace().join(".env")).unwrap();
            } else {
                put("id_rsa");
            }
            std::fs::write(house.workspace().join("go"), "go\n").unwrap();
            running.join().unwrap()
        });
        assert_eq!(output.stdout, "", "{output:?}");
        let said = output.complaints();
        assert!(said.contains("withheld") && said.contains("run it again"), "{said}");
        assert_eq!(house.run(line).stdout, "begun\nDB=TOKEN\n");
        std::fs::remove_file(house.workspace().join("go")).unwrap();
    }
}

#[test]
fn what_was_agreed_to_once_and_for_all_writes_through_no_link() {
    let mut house = House::new();
    std::fs::write(house.workspace().join("a.txt"), "new\n").unwrap();
    std::fs::write(house.workspace().join("Makefile"), "all:\n").unwrap();
    std::os::unix::fs::symlink("Makefile", house.workspace().join("b.txt")).unwrap();
    house.remembered = true;
    let output = house.run("cat a.txt > b.txt");
    assert_ne!(output.exit_code, Some(0), "{output:?}");
    assert!(output.complaints().contains("no link is followed"), "{output:?}");
    assert_eq!(
        std::fs::read_to_string(house.workspace().join("Makefile")).unwrap(),
        "all:\n"
    );
    // It sees and reaches what any other does that a person agreed to.
    house.prints("ls /var/cache > /dev/null; cat a.txt > c.txt");
    house.remembered = false;
    assert_eq!(house.prints("cat a.txt > b.txt; cat Makefile"), "new\n");
}
