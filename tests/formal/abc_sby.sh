#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's ABC as SymbiYosys' abc: its pdr does not know the option -l, and its AIGER witness lacks the line
# break before "# DONE".
args=()
for word in "$@"; do
    args+=("${word//pdr -v -l/pdr -v}")
done
"$("$(dirname "$0")"/../../sw/tools/builder/release.sh abc)" "${args[@]}"
status=$?
witness=$(grep -o 'write_cex -a [^ ;]*' <<< "${args[*]}" | cut -d' ' -f3)
if [ -n "$witness" ] && [ -s "$witness" ]; then
    sed -i 's/\([01x]\)# DONE/\1\n# DONE/' "$witness"
fi
exit $status
