use super::*;

fn holds(name: &str, code: &str, script: &str) -> bool {
    literals(name, code).iter().any(|own| own == script)
}

#[test]
fn only_what_stands_in_a_call_that_runs_is_run() {
    assert_eq!(literals("awk", "BEGIN{system(\"rm x\"); print \"rm y\"}"), ["rm x"]);
    assert_eq!(literals("awk", "/system/ {print \"rm x\"}"), [""; 0]);
    assert_eq!(literals("awk", "{print | \"rm x\"}"), ["rm x"]);
    assert_eq!(
        literals("awk", "{while ((\"rm x\" | getline l) > 0) print \"rm y\"}"),
        ["rm x"]
    );
    assert_eq!(
        literals("python3", "import os; os.system('rm x'); a = 'rm y'"),
        ["rm x"]
    );
    assert_eq!(literals("python3", "print('never `mkfs`')"), [""; 0]);
    assert_eq!(literals("node", "x.execSync('rm x'); y = `rm y`"), ["rm x"]);
    assert_eq!(literals("perl", "system 'rm x'; $a = 'rm y'"), ["rm x"]);
    assert_eq!(literals("ruby", "a = `rm x`; b = 'rm y'"), ["rm x"]);
    assert_eq!(
        literals("emacs", "(progn (shell-command \"rm x\") (message \"rm y\"))"),
        ["rm x"]
    );
    assert_eq!(literals("python3", "print('rm -rf /')"), [""; 0]);
}

#[test]
fn a_list_of_words_is_one_command() {
    let list = "import subprocess; subprocess.run(['rm', '-rf', '/'], check=True)";
    assert!(holds("python3", list, "'rm' '-rf' '/'"));
    let list = "import subprocess; subprocess.run(['grep', 'rm -rf /', 'x'])";
    assert!(!holds("python3", list, "rm -rf /"));
    assert!(holds("perl", "system('rm', '-rf', '/')", "'rm' '-rf' '/'"));
    assert!(holds("node", "x.spawn('rm', ['-rf', '/'])", "'rm' '-rf' '/'"));
}

#[test]
fn any_literal_may_be_run_where_a_call_takes_more_than_literals() {
    for code in [
        "c = 'rm x'; os.system(c)",
        "import os as o; f = os.system; f('rm x')",
        "from subprocess import run; run('rm x', shell=True)",
        "import subprocess as s; s.run('rm x', shell=True)",
        "getattr(os, 'system')('rm x')",
        "p = subprocess.Popen(['sh'], stdin=subprocess.PIPE); p.communicate(b'rm x')",
        "for c in ['rm x']: os.system(c)",
        "list(map(os.system, ['rm x']))",
    ] {
        assert!(holds("python3", code, "rm x"), "{code}");
    }
    let printed = "import os, sys; os.system(sys.argv[1]); print('rm x')";
    assert!(!holds("python3", printed, "rm x"));
}

#[test]
fn what_is_removed_is_what_a_removing_call_takes() {
    assert_eq!(
        literals("python3", "import shutil; shutil.rmtree('x'); print('/')"),
        ["rm -r x"]
    );
    let code = "fs.rmSync('x',{recursive:true}); console.log('a/b'.split('/'))";
    assert_eq!(literals("node", code), ["rm -r x"]);
    assert!(holds("python3", "p = '/'; shutil.rmtree(p)", "rm -r /"));
}

#[test]
fn arguments_behind_a_script_are_no_program_texts() {
    use crate::shell::hidden::Invocation;
    use crate::shell::word::Field;
    let of = |texts: &[&str]| {
        let fields: Vec<Field> = texts.iter().copied().map(Field::from).collect();
        codes(&Invocation::of(&fields))
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&["python3", "x.py", "code"]), [""; 0]);
    assert_eq!(of(&["python3", "-Bc", "code", "more"]), ["code"]);
    assert_eq!(of(&["python3", "-W", "ignore", "x.py", "-c", "code"]), [""; 0]);
    assert_eq!(of(&["python3", "-m", "timeit", "code"]), ["timeit", "code"]);
    assert_eq!(of(&["perl", "-lane", "one", "-e", "two", "more"]), ["one", "two"]);
    assert_eq!(of(&["node", "--eval", "code", "more"]), ["--eval", "code"]);
    assert_eq!(of(&["awk", "-F", ":", "-v", "a=b", "code", "x"]), ["code"]);
    assert_eq!(of(&["awk", "-f", "x", "y"]), [""; 0]);
}
