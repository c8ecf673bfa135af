#!/usr/bin/env bash
# on_time_picture.sh BIN - prints docs/on-time.svg, the picture of README.md: for each policy the jobs of
# traces/testbed195.csv that ended on time, and the promises that were broken. BIN holds the programs.
set -euo pipefail

"$1/rubato" compare --csv --columns policy,on_time,broken,deadline_jobs \
    --policies lsf,rubato,ef-accessctrl,dlas-gpu,chronus,themis,ef,edf-accessctrl,gandiva,edf testbed195@n16g8@240 |
    awk -F, '
    NR == 1 { next }
    NR == 2 {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 328\" role=\"img\""
        print " aria-label=\"Jobs on time and broken promises under ten policies\""
        print " font-family=\"sans-serif\" font-size=\"14\">"
        print "<style>text{fill:#222}.name{text-anchor:end}.on{fill:#2b6cb0}.broken{fill:#d97706}"
        print "@media(prefers-color-scheme:dark){text{fill:#ddd}.on{fill:#63a4e8}.broken{fill:#f0a840}}</style>"
        printf "<text x=\"130\" y=\"20\">Jobs on time, of %d with a deadline", $4
        print " (16 nodes of 8 GPUs)</text>"
    }
    {
        y = 36 + 28 * (NR - 2)
        wide = 420 * $2 / $4
        printf "<text class=\"name\" x=\"120\" y=\"%d\">%s</text>", y + 15, $1
        printf "<rect class=\"on\" x=\"130\" y=\"%d\" width=\"%.1f\" height=\"20\"/>", y, wide
        if ($3 > 0)
            printf "<rect class=\"broken\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"20\"/>",
                   130 + wide, y, 420 * $3 / $4
        printf "<text x=\"%.1f\" y=\"%d\">%d", 136 + wide + 420 * $3 / $4, y + 15, $2
        if ($3 > 0)
            printf ", and %d broken promise%s", $3, ($3 > 1 ? "s" : "")
        print "</text>"
    }
    END { print "</svg>" }'
