//! Program texts, which are no paths, and what they open.

use super::roles::{is_let_by, is_refused};
use super::*;

#[test]
fn a_program_text_that_opens_nothing_is_no_path() {
    is_let_by(&[
        "awk '/id_rsa/' x",
        "awk -F : '/id_rsa/' x",
        "awk -F/ '!/id_rsa/' x",
        "awk '!/id_rsa/' x",
        "awk '/.ssh/' x",
        "awk '$1 > 5 && /.ssh/' x",
        "awk '$1 == \"/.ssh/\" { print $2 }' x",
        "awk -v n=3 '/.ssh/ { print n }' x",
        "perl -ne 'print if /id_rsa/' x",
        "perl -lane 'print unless /.ssh/' x",
        "perl -i.bak -pe 's/id_rsa/x/' x",
        "ruby -ne 'puts $_ if $_ =~ /id_rsa/' x",
        "python3 -c 'print(\"/.ssh/\")'",
        "node -e 'console.log(\"/.ssh/\")'",
        "jq '.a | test(\"/.ssh/\")' x",
        "sed '/id_rsa/d' x",
        "sed -n '/.ssh/p' x",
        "sed -e p -e '/.ssh/d' x",
        "sed -i 's/.ssh/x/' x",
    ]);
}

#[test]
fn what_a_program_text_opens_or_is_given_is_refused_as_before() {
    is_refused(&[
        "awk '{print}' /etc/shadow",
        "awk '/x/' ~/.ssh/id_rsa",
        "awk -f /etc/shadow x",
        "awk '{print > FILENAME}' /etc/shadow",
        "awk 'BEGIN { while ((getline l < \"/home/me/.ssh/id_rsa\") > 0) print l }'",
        "awk -v f=/home/me/.ssh/id_rsa 'BEGIN { getline l < f; print l }'",
        "awk -vf=/etc/shadow 'BEGIN { getline l < f }'",
        "perl -ne print /etc/shadow",
        "perl -pe 's/a/b/' /etc/shadow",
        "perl /etc/shadow",
        "perl -e 'open F, \"/home/me/.ssh/id_rsa\"; print <F>'",
        "perl -ne 'BEGIN { @ARGV = \"/home/me/.ssh/id_rsa\" } print'",
        "ruby -ne print ~/.ssh/id_rsa",
        "ruby -e 'puts File.read(\"/home/me/.ssh/id_rsa\")'",
        "python3 /etc/shadow",
        "python3 -c 'print(1)' /etc/shadow",
        "python3 -c 'print(open(\"/home/me/.ssh/id_rsa\").read())'",
        "node ~/.ssh/id_rsa",
        "node -e 'require(\"fs\").readFileSync(\"/home/me/.ssh/id_rsa\")'",
        "sed -n p /etc/shadow",
        "sed -e p /etc/shadow",
        "sed -ep /etc/shadow",
        "x=$(cat x); sed -f s $x -e /.ssh/k",
        "sed -f /etc/shadow x",
        "sed --file=/etc/shadow x",
        "sed -i s/a/b/ ~/.bashrc",
        "sed -i.bak -e s/a/b/ ~/.bashrc",
        "sed '/x/w ~/.bashrc' x",
    ]);
    for command in [
        "awk 'BEGIN{while((getline l < \"/etc/shadow\")>0) print l}'",
        "python3 -c \"open('/etc/shadow')\"",
        "perl -ne 'print if /id_rsa/' x",
        "python3 -c 'print(\"/.ssh/\")'",
        "sed 'r /etc/shadow' x",
    ] {
        assert!(verdict(command).is_some(), "{command}");
    }
}
