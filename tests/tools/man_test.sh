# man_test.sh - the man pages: one for each command and file format, without a complaint of the
# formatter, with every option of --help and every field of the files; their examples run.
source "$(dirname "$0")/cli.sh"
export LC_ALL=C.UTF-8 MANWIDTH=1000

if ! command -v man >/dev/null || ! command -v lexgrog >/dev/null; then
    echo "man-db is not installed"
    exit 77
fi
pages=${RUBATO_BUILD:?is set by ctest}/man
programs="scheduler master worker trainer"
contracts="rubato-launch"
formats="rubato-cluster rubato-policy rubato-record rubato-results rubato-throughputs rubato-trace"

lint() { man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>&1 >/dev/null; }

# A formatter that never complains would prove nothing.
printf '.TH x 1\n.SH NAME\nx \\- y\n.no_such_macro\n' >"$work/bad.1"
[ -n "$(lint "$work/bad.1")" ] || fail "the formatter does not complain about a bad page"

commands=$(verbs | sed 's/ /-/g; s/^/rubato-/')
same "the pages" "$(ls "$pages")" \
    "$( (printf '%s.1\n' rubato $programs $commands && printf '%s.5\n' $formats && printf '%s.7\n' $contracts) | sort)"

# check_page PAGE SECTION...: it is clean, has these sections in this order, can be indexed for
# apropos, and every page that it names exists.
check_page() {
    local page=$1 name=${1%.*} other section

    same "the lint of $page" "$(lint "$pages/$page")" ""
    lexgrog "$pages/$page" >"$out" 2>&1 || fail "$page cannot be indexed: $(cat "$out")"
    [[ $(cat "$out") == *": \"$name - "?* ]] || fail "$page is indexed as $(cat "$out")"
    man -E UTF-8 -l "$pages/$page" >"$work/text"
    ! grep -q '@[A-Z]*@' "$work/text" || fail "$page was not filled in"
    shift
    for section in "$@"; do
        grep -qx "$section" "$work/text" || fail "$page has no section $section"
    done
    same "the order of $page" \
        "$(grep -xE "$(IFS='|' && echo "$*")" "$work/text" | paste -sd '|')" "$(IFS='|' && echo "$*")"
    while read -r other; do
        [ -e "$pages/$other" ] || fail "$page names $other, which does not exist"
        checks=$((checks + 1))
    done < <(grep -oE '[a-z-]+\([157]\)' "$work/text" | tr -d ')' | tr '(' . | sort -u)
}

# check_command PAGE COMMAND...: the page has the options of the help, and its defaults.
check_command() {
    local page=$1 option help

    shift
    check_page "$page" NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" EXAMPLES "SEE ALSO"
    help=$("$@" --help)
    same "the options in $page" "$(sed -nE 's/^ {7}(-., )?--([A-Za-z_-]+).*/\2/p' "$work/text" | sort -u)" \
        "$( (sed -nE 's/^ {2,6}(-., )?--([A-Za-z_-]+).*/\2/p' <<<"$help"; echo name) | sort -u)"
    same "the defaults in $page" "$(grep -oE 'Default: .*\.$' "$work/text" | sed 's/^Default: //; s/\.$//' | sort)" \
        "$(tr -s '\n ' '  ' <<<"$help" | grep -oE '\(default [^()]*\)' | sed 's/^(default //; s/)$//' | sort)"
    grep -qF "Rubato $("$rubato" --version | sed 's/rubato //; s/ (.*//')" "$work/text" || fail "$page has no version"
}

for program in $programs; do
    check_command "$program.1" "build/bin/$program"
done
while read -r verb; do
    read -ra words <<<"$verb"
    check_command "rubato-${verb// /-}.1" "$rubato" "${words[@]}" </dev/null
done < <(verbs)
check_page rubato.1 NAME SYNOPSIS DESCRIPTION VERBS OPTIONS "EXIT STATUS" FILES EXAMPLES "SEE ALSO"
while read -r verb; do
    grep -qE "^ {7}$verb( |$)" "$work/text" || fail "rubato.1 does not list $verb"
    checks=$((checks + 1))
done < <(verbs)
for format in $formats; do
    check_page $format.5 NAME DESCRIPTION EXAMPLES "SEE ALSO"
done
for contract in $contracts; do
    check_page $contract.7 NAME DESCRIPTION ENVIRONMENT PLACEHOLDERS PROGRESS CHECKPOINTS "THE END" EXAMPLES "SEE ALSO"
done

# names PAGE WORD...: the page speaks of all of them.
names() {
    local page=$1 word

    shift
    [ $# -gt 2 ] || fail "nothing to look for in $page"
    man -E UTF-8 -l "$pages/$page" >"$work/text"
    for word in "$@"; do
        grep -qw -e "$word" "$work/text" || fail "$page does not speak of $word"
        checks=$((checks + 1))
    done
}

# columns FILE...
columns() { head -qn 1 "$@" | tr , '\n' | sort -u; }

keys() { schema <"$out" | sed 's/^ *//; s/ .*//'; }

passes "$rubato" simulate "$small" --results "$work/results" --json
names rubato-results.5 $(keys) $(columns "$work"/results/*.csv)
passes "$rubato" simulate "$small" --policy dlas-gpu --json # has queues
names rubato-results.5 $(keys)
passes "$rubato" simulate "$small" --policy chronus --json --results "$work/leases" # has leases
names rubato-results.5 $(keys) $(columns "$work"/leases/*.csv)
printf '%s\n' trace,policy,accepted,declined testbed25,ef,0,0 >"$work/counts.csv"
gives 1 "$rubato" compare "$small" --policies ef --json --reference "$work/counts.csv"
names rubato-compare.1 $(keys)
passes "$rubato" bound "$small" --json --integer --slot 60
names rubato-bound.1 $(keys)
passes "$rubato" quote "$small" --cluster "$small_cluster" --model vgg16 --deadline 100 --json
names rubato-quote.1 $(keys)
names rubato-trace.5 $(columns traces/*.csv)
names rubato-cluster.5 $(columns cluster_specs/*.csv)
names rubato-launch.7 $(build/bin/trainer --print-launch=variables | sed -n 's/^\.B //p')
passes "$rubato" simulate "$small" --policy chronus --record "$work/record"
names rubato-record.5 $(grep -oE '[a-z_-]+=' "$work/record" | tr -d = | sort -u) \
    $(grep -oE '^[<>]? ?[a-z-]+ ' "$work/record" | tr -d '<> ' | sort -u)
names rubato-throughputs.5 $(columns throughputs/*.csv)

# num_gpu: the policies that the page names are those whose jobs hold that many GPUs or none.
awk -F, -v OFS=, 'NR == 1 || $7 > 1' "$small" >"$work/wide.csv"
passes "$rubato" trace validate "$work/wide.csv"
asked=$(for policy in $("$scheduler" --print-words | sed -n 's/^--schedule= //p'); do
    case $policy in tiresias | time-aware-with-lease | *:) continue ;; esac
    "$rubato" simulate --policy "$policy" --cluster "$small_cluster" --slot 240 --force --results "$work/gpus" "$work/wide.csv" \
        >"$out" 2>"$err"
    awk -F, 'NR == FNR { asked[$1] = $7; next }
        FNR > 1 && $4 > 0 && $4 != asked[$2] { exit 1 }' "$work/wide.csv" "$work/gpus/timeline.csv" && echo "$policy"
done)
man -E UTF-8 -l "$pages/rubato-trace.5" >"$work/text"
same "the policies that num_gpu binds" \
    "$(tr -s '\n ' '  ' <"$work/text" | sed -nE 's/.* The policies ([^.]*) give a job that many GPUs or none.*/\1/p' |
        sed 's/,/ /g; s/ and / /' | tr -s ' ' '\n' | sort)" "$(sort <<<"$asked")"

# The examples: what stands between .EX and .EE and starts with a command.
examples() {
    awk '/^\.EE/ { inside = 0 } inside && (on || /^(rubato|scheduler|awk) /) { print; on = /\\e$/ }
        /^\.EX/ { inside = 1; on = 0 }' "$1" | sed 's/\\-/-/g; s/\\e/\\/g'
}

run=0
export RUBATO_STATE=$work/state # an example may start a service: not that of the machine
unset RUBATO_SOCKET
trap '"$rubato" down >/dev/null 2>&1; rm -rf "$work"' EXIT
for page in "$pages"/*; do
    examples "$page" >"$work/examples.sh"
    [ -s "$work/examples.sh" ] || continue
    PATH=$PWD/build/bin:$PATH bash -e "$work/examples.sh" >"$out" 2>"$err" </dev/null ||
        fail "the examples of ${page##*/} fail: $(cat "$err")"
    run=$((run + 1))
done
[ $run -ge 10 ] || fail "only $run pages have examples"
done_checking 250
