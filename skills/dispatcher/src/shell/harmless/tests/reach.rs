//! What is found in git's own folder, where what was never shown to anybody may lie.

use super::reads;

#[test]
fn what_may_be_found_in_gits_own_folder_is_not_read_unasked() {
    for expression in [
        "-name '*.pack'",
        "-name 'pack-*'",
        "-name 'pac[k]-*'",
        "-iname 'PACK-*'",
        "-name '??????????????????????????????????????'",
        "-name '[0-9a-f]*'",
        "-name 'a[0-9]*'",
        "-name '*'",
        "-name origin",
        "-iname ORIGIN",
        "-name patch",
        "-type f",
        "-type f -perm 444",
        "-size +1M",
        "-newer README.md",
        "-ipath '*/objects/*'",
        "-path '*/ob?ects/*'",
        "-path './?git/objects/*'",
        "-wholename '*/modules/*'",
        "-path '*/lfs/*'",
        "-regex '.*/objects/.*'",
        "-regex '.*/pack-.*'",
        "-mindepth 4",
        "-maxdepth 3 -name '*'",
        "-maxdepth 1 -maxdepth 9",
        "-exec echo -maxdepth 1 ';'",
        "-exec true -mindepth 1 ';' -mindepth 3 -name .git -prune -o -type f",
        "-name '*.rs' -o -type f",
        "\\( -name '*.rs' -o -name '*.pack' \\)",
        "! -name '*.rs'",
        "-not -path './.git/*0*'",
        "-not -path './.git/*' -o -type f",
        "! ! -path './.g*/*'",
        "-path './.git/*' -o -name '*.pack'",
        "-depth -name .git -prune -o -type f",
        "-mindepth 2 -path ./.git -prune -o -type f",
        "-name '.gi?t' -prune -o -type f",
        "-name .git -empty -prune -o -type f",
        "-false -prune -o -type f",
    ] {
        for find in [
            format!("find . {expression} -exec base64 {{}} +"),
            format!("find . {expression} -exec cat {{}} ';'"),
            format!("find {expression} -exec head -c 100 {{}} +"),
            format!("find ./ {expression} -print | xargs xxd"),
            format!("find \"$PWD\" {expression} -print0 | xargs -0 strings"),
            format!("find src . {expression} -print0 | sort -z | xargs -0 cat"),
            format!("cat $(find . {expression} -print)"),
            format!("find . {expression} -exec grep -a '' {{}} +"),
            format!("find . {expression} -exec sh -c 'cat \"$1\"' x {{}} ';'"),
        ] {
            // The path that is told of begins as the folder is written.
            let other = expression.contains("./") && !(find.starts_with("find . ") || find.contains("(find . "));
            assert!(other || !reads(&find), "{find}");
        }
    }
    for command in [
        "find . -type f | grep -v '\\.rs$' | xargs cat",
        "find . -type f | grep -v '\\.git.*[0-8]' | xargs cat",
        "find . -type f | grep -vw .git | xargs cat",
        "find . -type f | grep objects | xargs cat",
        "find . -type f | grep -v '^./\\.github' | xargs cat",
        "find $PWD -type f | grep -v '^\\./\\.git' | xargs cat",
        "find . -type f | head | xargs cat",
        "find . -type d -exec find {} -type f -exec cat {} + ';'",
        "find . -exec file -f {} ';'",
        "find . -exec md5sum -c {} ';'",
        "find . -exec grep -rha x {} +",
        "find . | xargs grep --text ''",
        "find . | xargs grep --binary-files=text ''",
        "find . | xargs wc --files0-from",
        "grep -rl '' . | xargs base64",
        "grep -rl x . | xargs cat",
        "grep -rlF --include='*' x . | xargs cat",
        "cat $(grep -rl x .)",
        "rg -l --hidden x | xargs cat",
        "rg -luu x . | xargs cat",
        "find .git/modules -type f -exec cat {} +",
        "find .git/objects -type f -exec cat {} +",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_keeps_out_of_it_or_shows_nothing_of_it_is_harmless() {
    let commands = [
        "find . -name '*.rs' -exec grep -n foo {} +",
        "find . -name '*.rs' -exec cat {} +",
        "find . -name '*.[ch]' -print0 | xargs -0 cat",
        "find . -iname '*test*' -exec cat {} ';'",
        "find . -name README.md -exec head {} +",
        "find . -name 'Makefile*' -exec cat {} +",
        "find . -type f -name '*.json' | xargs cat",
        "find src -type f -exec wc -l {} +",
        "find src -type f -exec cat {} +",
        "find src tests -type f -print0 | xargs -0 cat",
        "find ./src -type f | xargs head -5",
        "find . -path ./.git -prune -o -type f -print | xargs cat",
        "find . -not -path '*/.*' -exec cat {} +",
        "find . -type f ! -path '*/*/*' -exec cat {} +",
        "find . -type f -exec stat {} + > /dev/null",
        "find . -type f -exec wc -l {} ';'",
        "find . | xargs wc -l",
        "find . | xargs md5sum",
        "find . -type f -exec ls -s {} ';'",
        "find . -type f -exec file {} ';'",
        "find . -exec echo {} ';'",
        "find . -type f -exec grep -l 'word' {} +",
        "find . -type f | xargs grep 'text'",
        "find . -type f -print0 | xargs -0 grep string",
        "find . -type f",
    ];
    let wrong: Vec<_> = commands.iter().filter(|command| !reads(command)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
