#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bootstrap: with everything there it is quick and silent; a user without rights gets the one line to run; an unsupported release one line.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/sw/tools/builder" "$work/bin"
cp sw/tools/builder/bootstrap.sh sw/tools/builder/release.sh sw/tools/builder/releases.tsv sw/tools/builder/step.sh sw/tools/builder/packages*.txt sw/tools/builder/requirements.txt "$work/tree/sw/tools/builder"

# everything is installed in the tree under test
out=$(sw/tools/builder/bootstrap.sh)
[ -z "$out" ] || { echo "unexpected output: $out"; exit 1; }
echo "case done: nothing to do is silent"

# a plain user on a bare machine: fake id, sudo and dpkg-query
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sudo"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
chmod +x "$work"/bin/*
status=0
PATH="$work/bin:$PATH" "$work/tree/sw/tools/builder/bootstrap.sh" >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 69 ] || { echo "exit status $status, expected 69"; exit 1; }
[ "$(wc -l <"$work/err")" = 1 ] && grep -q 'apt-get install .*hipcc' "$work/err" || { cat "$work/err"; exit 1; }
echo "case done: a user without rights gets one line"

# Each release has the names of its packages; every other one gets a line that says which there are, and nothing is asked or installed.
sed -i "s|^places=.*|places=$work/os-release|" "$work/tree/sw/tools/builder/release.sh"
bare() { # its line, for what os-release says
    printf "$1" >"$work/os-release"
    status=0
    PATH="$work/bin:$PATH" "$work/tree/sw/tools/builder/bootstrap.sh" 2>"$work/err" || status=$?
    [ "$status" = 69 ] && [ "$(wc -l <"$work/err")" = 1 ] || { echo "exit status $status"; cat "$work/err"; exit 1; }
    cat "$work/err"
}
line=$(bare 'ID=debian\nVERSION_ID="12"\n')
grep -qE ' rocm-device-libs .* clang-15 .* berkeley-abc ' <<<"$line" || { echo "$line"; exit 1; }
line=$(bare 'ID=debian\nVERSION_ID="13"\n')
grep -qE ' rocm-device-libs-17 .* clang-17 .* yosys-abc ' <<<"$line" || { echo "$line"; exit 1; }
[[ $line != *[{}]* ]] || { echo "$line"; exit 1; }
echo "case done: names of packages by release"
for other in 'ID=debian\nVERSION_ID="11"\nPRETTY_NAME="Bullseye"\n' 'ID=ubuntu\nVERSION_ID="12"\nPRETTY_NAME="Bullseye"\n' 'ID=debian\nPRETTY_NAME="Bullseye"\n'; do
    [ "$(bare "$other")" = "bootstrap: Gantry runs on Debian 12 and 13; this is Bullseye" ] || { cat "$work/err"; exit 1; }
done
rm "$work/os-release"
[ "$(bare '')" = "bootstrap: Gantry runs on Debian 12 and 13; this is another system" ] || { cat "$work/err"; exit 1; }
[ ! -e "$work/tree/build/log" ]
printf 'ID=debian\nVERSION_ID=12\n' >"$work/os-release"
echo "case done: another release gets one line"

# an environment that is gone, or of a tree that was moved since, is made anew
printf '#!/bin/sh\nexec echo "install ok installed"\n' >"$work/bin/dpkg-query"
: >"$work/tree/sw/tools/builder/requirements.txt"
for step in gone moved; do
    [ "$step" != gone ] || [ ! -e "$work/tree/build/venv" ]
    [ "$step" != moved ] || mv "$work/tree" "$work/tree-$step"
    tree=$(ls -d "$work"/tree*)
    PATH="$work/bin:$PATH" "$tree/sw/tools/builder/bootstrap.sh"
    "$tree/build/venv/bin/python" -c '' && head -n 1 "$tree/build/venv/bin/pip" | grep -q "$tree/build/venv/bin/python" || { echo "$step: no environment for $tree"; exit 1; }
done
rm -rf "$tree"/build/venv/lib/python3*/
mkdir "$tree/build/venv/lib/python3.1"
echo "# other" >>"$tree/sw/tools/builder/requirements.txt" # as when the system was upgraded: there is another Python since
PATH="$work/bin:$PATH" "$tree/sw/tools/builder/bootstrap.sh"
[ ! -e "$tree/build/venv/lib/python3.1" ] && "$tree/build/venv/bin/pip" --version >"$work/out"
echo "case done: an environment is made anew"

# A user whose sudo asks for a password, which it does on a terminal only: asked once, before anything is installed.
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/apt-get"
printf '#!/bin/sh\necho "$*" >>%s/asked\n[ "$1" != -v ] || exec touch %s/granted\n[ -e %s/granted ]\n' "$work" "$work" "$work" >"$work/bin/sudo"
chmod +x "$work"/bin/*
echo "# other" >>"$tree/sw/tools/builder/requirements.txt"
PATH="$work/bin:$PATH" script -qec "$tree/sw/tools/builder/bootstrap.sh" /dev/null >"$work/out" </dev/null || { cat "$work/out" "$work/asked"; exit 1; }
[ "$(cut -d' ' -f1-2 <"$work/asked" | tr '\n' ,)" = "-n true,-v,-n env,-n env," ] && grep -q 'apt-get .* install -y .* hipcc' "$work/asked" ||
    { cat "$work/out" "$work/asked"; exit 1; }
echo "case done: sudo asks on the terminal"
