//! What a shell reads: it is run where the shell has no script of its own.

use super::*;

#[test]
fn what_a_shell_with_a_script_of_its_own_reads_is_data() {
    for command in [
        "echo 'rm -rf /' | bash -n",
        "echo 'rm -rf /' | bash -o noexec",
        "echo 'rm -rf /' | bash -en -",
        "echo 'rm -rf /' | sh -c 'wc -c'",
        "echo 'rm -rf /' | sh -ec 'cat | wc -c; echo done'",
        "echo 'rm -rf /' | sh -c 'timeout 5 wc -c'",
        "echo 'rm -rf /' | bash x.sh",
        "echo 'rm -rf /' | bash -eu -o pipefail x.sh",
        "echo 'rm -rf /' | bash --norc --rcfile x y.sh",
        "echo 'rm -rf /' | bash - x.sh",
        "echo 'rm -rf /' | sudo -n bash x.sh",
        "bash x.sh <<'E'\nrm -rf /\nE",
        "bash -n <<'E'\nrm -rf /\nE",
        "bash -c 'cat' <<'E'\nrm -rf /\nE",
        "bash x.sh <<< 'rm -rf /'",
        "cd sub && bash x.sh <<< 'rm -rf /'",
    ] {
        assert!(!is_rejected(command), "{command}: {:?}", verdict(command));
    }
    for command in [
        "echo 'rm -rf /' | bash -n",
        "bash x.sh <<< 'rm -rf /'",
        "echo 'rm -rf /' | bash x.sh",
    ] {
        assert!(verdict(command).is_some(), "{command} passes");
    }
}

#[test]
fn what_a_shell_runs_of_what_it_reads_is_refused() {
    for shell in [
        "bash",
        "sh -s",
        "bash -",
        "bash --",
        "bash -s x.sh",
        "bash -s -- x y",
        "bash -x",
        "bash -eu -o pipefail",
        "bash -O extglob",
        "bash --norc",
        "bash -norc",
        "bash -noprofile",
        "bash -noediting",
        "bash --rcfile x",
        "bash -in",
        "bash -n +n",
        "bash /dev/stdin",
        "bash /dev/fd/0",
        "bash /proc/self/fd/0",
        "bash -- /dev/stdin",
        "sudo -n bash",
        "sh -c bash",
        "sh -c 'sh -s'",
        "sh -c 'cat | sh'",
        "sh -c 'exec bash -'",
        "sh -c 'true; bash'",
        "sh -c 'eval \"$(cat)\"'",
        "sh -c '. /dev/stdin'",
        "sh -c 'while read line; do $line; done'",
        "sh -c 'timeout 5 sh'",
        "sh -c 'sed \"s/.*/&/e\"'",
        "sh -c \"awk '{system(\\$0)}'\"",
        "sh -c 'split --filter=sh'",
        "sh -c 'cat > x; sh x'",
        "sh -c \"$(cat script)\"",
        "sh \"$(cat name)\"",
        "sh \"$1\"",
        "fish -n",
        "BASH_ENV=/dev/stdin bash -c :",
    ] {
        let printed = format!("echo 'rm -rf /' | {shell}");
        let given = format!("{shell} <<'E'\nrm -rf /\nE");
        let line = format!("{shell} <<< 'rm -rf /'");
        for command in [printed, given, line] {
            assert!(is_rejected(&command), "{command}: {:?}", verdict(&command));
        }
    }
    // A here-document may belong to another command of its line, and an input to several.
    for command in [
        "sh <<'E'; bash -n\nrm -rf /\nE",
        "sh <<'E' | bash x.sh\nrm -rf /\nE",
        "(sh) <<'E' | bash -n\nrm -rf /\nE",
        "{ sh; } <<'E' | sh -c 'wc -c'\nrm -rf /\nE",
        "echo 'rm -rf /' | { bash x.sh; sh; }",
        "echo 'rm -rf /' | { sh -c true; . /dev/stdin; }",
        "python3 <<'E'; python3 x.py\nimport os; os.system('rm -rf /')\nE",
    ] {
        assert!(is_rejected(command), "{command}: {:?}", verdict(command));
    }
}
