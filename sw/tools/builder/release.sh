#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The release of Debian and what has another name there (releases.tsv).
#   release.sh                  the release: 12
#   release.sh NAME [RELEASE]   its value, or another release's, of this row of the table
#   release.sh --fill           standard input with its values for each {NAME}
# Exit 69 with one line on a release that has no column; 64 with one line when there is no such row.
set -eu
table=$(dirname "$0")/releases.tsv
places=/etc/os-release
[ $# -lt 2 ] && words=$(ID='' VERSION_ID='' PRETTY_NAME='another system' && [ ! -r $places ] || . $places && echo "$ID:$VERSION_ID:$PRETTY_NAME") || words="debian:$2:Debian $2"
release=${words#*:}
release=${release%%:*}
exec awk -F '\t' -v id="${words%%:*}" -v release="$release" -v system_name="${words#*:*:}" -v want="${1:-}" '
    /^#/ { next }
    !column { # the head: name, releases, what
        for (i = 2; i < NF; i++) {
            supported = supported (i == 2 ? "" : i < NF - 1 ? ", " : " and ") $i
            if (id == "debian" && $i == release)
                column = i
        }
        if (!column) {
            print "bootstrap: Gantry runs on Debian " supported "; this is " system_name >"/dev/stderr"
            bad = 69
            exit
        }
        next
    }
    { value[$1] = $column }
    END {
        if (bad)
            exit bad
        if (want == "")
            print release
        else if (want == "--fill") {
            while ((getline line <"-") > 0) {
                for (name in value)
                    gsub("[{]" name "[}]", value[name], line)
                print line
            }
        } else if (want in value)
            print value[want]
        else {
            print "release.sh: " want ": no such name in releases.tsv" >"/dev/stderr"
            exit 64
        }
    }' "$table"
