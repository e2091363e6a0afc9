//! Program texts: what they run is refused as it is in a shell, and what they only say is not.

use super::*;

#[test]
fn what_a_program_text_only_says_is_not_refused() {
    for command in [
        "awk '/system/ {print \"rm -rf /\"}' x",
        "awk '$1 == \"exec\" {print \"rm -rf /\"}' x",
        "awk -v note='system(\"rm -rf /\")' '{print note}' x",
        "sed -n '/`rm -rf \\/`/p' x",
        "sed -n '/system(\"rm -rf \\/\")/p' x",
        "python3 x.py 'never `mkfs`'",
        "python3 x.py --text 'os.system(\"rm -rf /\")'",
        "python3 -W ignore x.py 'os.system(\"rm -rf /\")'",
        "python3 -c \"import shutil; shutil.rmtree('build'); print('/')\"",
        "node -e \"fs.rmSync('build',{recursive:true}); console.log('a/b'.split('/'))\"",
        "python3 -c \"import subprocess; subprocess.run(['grep','rm -rf /','x'])\"",
        "python3 -c \"import subprocess; subprocess.run(['grep','rm -rf /','x'], stdout=subprocess.PIPE, check=True)\"",
        "python3 -c \"import os; os.system('ls'); print('never rm -rf /')\"",
        "python3 -c \"import os; os.system('ls'); note = 'rm -rf /'\"",
        "node -e \"require('child_process').execSync('ls'); console.log('rm -rf /')\"",
        "node -e 'console.log(`rm -rf /`)'",
        "perl -e 'system(\"ls\"); print \"rm -rf /\"'",
        "perl -ne 'print if /system/' 'rm -rf /'",
        "ruby -e 'system(\"ls\"); puts \"rm -rf /\"'",
        "python3 - <<'E'\nimport os\nos.system('ls')\nprint('rm -rf /')\nE",
        "python3 x.py <<< 'import os; os.system(\"rm -rf /\")'",
        "awk '{print}' <<< 'system(\"rm -rf /\")'",
        "perl -ne 'print' <<< 'system(\"rm -rf /\")'",
    ] {
        assert!(!is_rejected(command), "{command}: {:?}", verdict(command));
        let reads = command.starts_with("awk") || command.starts_with("sed");
        assert!(reads || verdict(command).is_some(), "{command} passes");
    }
}

#[test]
fn what_a_program_text_runs_is_refused() {
    for command in [
        "awk 'BEGIN {system(\"rm -rf /\")}'",
        "awk -F: -v a=b 'BEGIN {system(\"rm -rf /\")}' x",
        "awk 'BEGIN {cmd = \"rm -rf /\"; cmd | getline}'",
        "awk 'BEGIN {\"rm -rf /\" | getline x; print x}'",
        "awk 'BEGIN {cmd = \"rm -rf /\"; system(cmd)}'",
        "awk '{print | \"rm -rf /\"}' x",
        "python3 -c \"import subprocess; subprocess.run(['rm','-rf','/'])\"",
        "python3 -c \"import subprocess; subprocess.run(args=['rm','-rf','/'], cwd='x')\"",
        "python3 -c \"import subprocess; subprocess.run(cwd='x', args='rm -rf /', shell=True)\"",
        "python3 -c \"import subprocess; subprocess.run(['sh','-c','rm -rf /'])\"",
        "python3 -c \"import subprocess; subprocess.run(['sh'], input=b'rm -rf /')\"",
        "python3 -c \"import subprocess; subprocess.run('rm -rf /'.split())\"",
        "python3 -c \"import subprocess; subprocess.run(['rm','-rf'] + ['/'])\"",
        "python3 -c \"import os; os.system('rm -rf' + ' /')\"",
        "python3 -c \"import os; os.system('rm -rf %s' % '/')\"",
        "python3 -c \"import os; os.system(' '.join(['rm','-rf','/']))\"",
        "python3 -c \"import os; c='rm -rf /'; os.system(c)\"",
        "python3 -c \"import os; os.popen('sh','w').write('rm -rf /')\"",
        "python3 -c \"import os; os.execvp('rm',['rm','-rf','/'])\"",
        "python3 -c \"print(__import__('os').system('rm -rf /'))\"",
        "python3 -c \"from subprocess import *; run(['rm','-rf','/'])\"",
        "python3 -c \"import shutil; shutil.rmtree('/')\"",
        "python3 -c \"import shutil; p='/'; shutil.rmtree(p)\"",
        "python3 -c \"import os, shutil; os.system('ls'); shutil.rmtree('/')\"",
        "python3 -Bc 'import os; os.system(\"rm -rf /\")'",
        "python3 -m timeit 'import os; os.system(\"rm -rf /\")'",
        "python3 - <<'E'\nimport os\nos.system('rm -rf /')\nE",
        "python3 <<< 'import os; os.system(\"rm -rf /\")'",
        "echo 'import os; os.system(\"rm -rf /\")' | python3 -",
        "python3 -i x.py <<< 'import os; os.system(\"rm -rf /\")'",
        "awk -f - <<< 'BEGIN {system(\"rm -rf /\")}'",
        "perl <<< 'system(\"rm -rf /\")'",
        "node -e \"require('child_process').execSync('rm -rf /')\"",
        "node -e \"const {exec} = require('child_process'); exec('rm -rf /')\"",
        "node -e \"const {exec: e} = require('child_process'); e('rm -rf /')\"",
        "node -e \"require('child_process').spawn('rm',['-rf','/'])\"",
        "node -pe 'require(\"child_process\").execSync(`rm -rf /`)'",
        "node --eval=\"fs.rmSync('/',{recursive:true})\"",
        "perl -e 'system(\"rm -rf /\")'",
        "perl -e 'system \"rm -rf /\"'",
        "perl -lane 'exec \"rm\", \"-rf\", \"/\"' x",
        "perl -e 'print `rm -rf /`'",
        "ruby -e 'system \"rm -rf /\"'",
        "ruby -e 'puts `rm -rf /`'",
        "ruby -e 'FileUtils.rm_rf(\"/\")'",
        "php -r 'shell_exec(\"rm -rf /\");'",
        "php -r 'echo `rm -rf /`;'",
        "lua -e 'os.execute(\"rm -rf /\")'",
        "emacs --batch --eval '(shell-command \"rm -rf /\")'",
        "emacs --batch --eval '(call-process \"rm\" nil nil nil \"-rf\" \"/\")'",
        "vim -c 'call system(\"rm -rf /\")'",
        "osascript -e 'do shell script \"rm -rf /\"'",
        "gdb -ex 'python import os; os.system(\"rm -rf /\")'",
        "sudo -n python3 -c 'import os; os.system(\"rm -rf /\")'",
    ] {
        assert!(is_rejected(command), "{command}: {:?}", verdict(command));
    }
}
