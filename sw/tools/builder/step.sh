#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# step.sh LABEL TOTAL LOG COMMAND...: the command with its output in LOG, and one line of at most 100 columns for whoever waits: the label
# after a second, then every 5 to 9 s how much is done (lines of LOG of TOTAL, or a point where that is 0 or stands), at the end the seconds.
# A command that takes no second says nothing; one that fails is followed by all of its output but the short lines of recipes ("  CC ..."),
# or by its last STEP_TAIL lines.  Exit status: the command's.  V=1, `make -n` and a step inside another one (or beside it, without the
# line): the command alone.
set -u
label=$1 total=$2 log=$3
shift 3
case ${V:-} in ''|0) ;; *) exec "$@" ;; esac
case ${MAKEFLAGS:-} in -*|*=*) ;; *n*) exec "$@" ;; esac # letters come first
[ -z "${GANTRY_STEP:-}" ] || exec "$@"
export GANTRY_STEP=1
mkdir -p "$(dirname "$log")"
shown=$log.shown
rm -f "$shown"
exec 9>"$(dirname "$log")/.step"
flock -n 9 && alone=1 || alone=

# Ends with this script, however that ends.
tick() {
    begin=$(date +%s) column=$((${#label} + 4)) last=0 next=1
    while sleep 1 && kill -0 $$ 2>/dev/null; do
        now=$(($(date +%s) - begin))
        [ "$now" -ge "$next" ] || continue
        next=$((now + (now < 60 ? 5 : 9))) piece=.
        if [ ! -e "$shown" ]; then
            : >"$shown"
            printf '%s ...' "$label"
        elif [ "$total" -gt 0 ]; then
            percent=$(($(wc -l <"$log") * 100 / total))
            [ "$percent" -le 99 ] || percent=99
            [ "$percent" = "$last" ] || piece=" $percent%"
            last=$percent
        fi
        [ "$now" -ge 5 ] || continue
        column=$((column + ${#piece}))
        [ "$column" -le 92 ] || { printf '\n   ' && column=$((3 + ${#piece})); }
        printf '%s' "$piece"
    done
}

begin=$(date +%s)
ticker= status=
[ -z "$alone" ] || { tick 9>&- & ticker=$!; }
env --default-signal=INT,QUIT "$@" >"$log" 2>&1 9>&- &
command=$!
trap 'status=130' INT # the terminal sends it to the command as well
trap 'status=143; kill "$command"' TERM HUP
wait "$command"
ended=$?
while kill -0 "$command" 2>/dev/null; do # a signal came meanwhile
    wait "$command"
    ended=$?
done
[ -z "$ticker" ] || { kill "$ticker"; wait "$ticker"; } 2>/dev/null
if [ -e "$shown" ]; then
    rm -f "$shown"
    [ "$ended" = 0 ] && echo " $(($(date +%s) - begin)) s" || echo
fi
[ -z "$status" ] || exit "$status"
[ "$ended" = 0 ] && exit 0
if [ -n "${STEP_TAIL:-}" ]; then tail -n "$STEP_TAIL" "$log"; else grep -v '^  [A-Z]* [^ ]*$' "$log"; fi >&2
echo "$label: failed; the whole output is in $log" >&2
exit "$ended"
