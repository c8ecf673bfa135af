# completion_test.sh - bash completes every verb, option and choice that --help knows, and nothing
# that it does not; whatever else is a file.
source "$(dirname "$0")/cli.sh"
export LC_ALL=C

for program in rubato scheduler master worker trainer; do
    # shellcheck disable=SC1090
    source "${RUBATO_BUILD:?is set by ctest}/completion/$program"
    same "what completes $program" "$(complete -p $program)" "complete -F _$program $program"
done

# What the completion asks of readline; outside of a completion the builtin only complains.
compopt() {
    local IFS=' '

    asked+="$* "
}

# completes PROGRAM WORD...: the last word is the one to complete, the way readline splits them. No
# program can be found meanwhile. The answers are in COMPREPLY, what was asked for in `asked`.
completes() {
    local path=$PATH status=0

    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    asked=
    PATH=/nowhere
    "_$1" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>"$err" || status=$?
    PATH=$path
    [ $status = 0 ] && [ ! -s "$err" ] || fail "completing \"$*\": status $status, $(<"$err")"
}

# offers EXPECTED WORD...: they complete to EXPECTED, blanks between.
offers() {
    local expected=$1

    shift
    completes "$@"
    same "completion of \"$*\"" "${COMPREPLY[*]-}" "$expected"
}

# offers_files WORD...: the answer is left to readline.
offers_files() {
    offers "" "$@"
    same "completion of \"$*\"" "$asked" "-o default "
}

# The options that a help lists, sorted; what stands further right is text about them.
options_of_help() {
    "$@" --help | sed -nE 's/^ {2,6}(-., )?--([A-Za-z_-]+).*/--\2/p' | sort
}

# check_options COMMAND...: every option of its help is offered and no other, with "=" after those
# that have a value.
check_options() {
    local expected option

    expected=$(options_of_help "${program[@]}")
    for option in --config --help --print-config --usage --version; do
        grep -qxe $option <<<"$expected" || fail "no $option in the help of $*: $expected"
    done
    completes "$@" --
    same "the options of $*" "$(printf '%s\n' "${COMPREPLY[@]%=}" | sort)" "$expected"
    "${program[@]}" --help >"$out"
    for option in "${COMPREPLY[@]}"; do
        case $option in
        *=) grep -qE -e "^ {2,6}(-., )?${option}[A-Z0-9]" "$out" || fail "$option has no value" ;;
        *) ! grep -qE -e "^ {2,6}(-., )?${option}=" "$out" || fail "$option has a value" ;;
        esac
    done
}

# check_choices OPTION COMMAND...: an option's choices in the help are what its value completes to,
# however it is written. One that users choose a part of completes to its beginning.
check_choices() {
    local option=$1 choices

    shift
    choices=$("${program[@]}" --help | tr -s '\n ' '  ' |
        sed -nE "s/.* $option=[A-Z]+ [^-]*: one of (([a-z0-9_-]+, )*[a-z0-9_-]+)(, [a-z]+:)?[ A-Z].*/\1\3/p" | tr -d ,)
    [ -n "$choices" ] || fail "no choices of $option in the help of $*"
    offers "$choices" "$@" "$option" =
    offers "$choices" "$@" "$option" = ''
    offers "$choices" "$@" "$option" ''
    offers "${choices%% *}" "$@" "$option" = "${choices%% *}"
    offers "$option=${choices// / $option=}" "$@" "$option="
}

# Verbs, one word after the other.
offers "$(verbs | cut -d' ' -f1 | uniq | paste -sd ' ') --help --version" rubato ''
offers "--help --version" rubato --
offers "simulate" rubato sim
while read -r first; do
    offers "$(verbs | sed -n "s/^$first //p" | paste -sd ' ')" rubato "$first" ''
done < <(verbs | sed -n 's/ .*//p' | uniq)
offers "validate" rubato trace va
offers "" rubato fly ''
offers "" rubato trace fly ''
offers "" rubato trace fly --

# Options and choices of every verb, and of the scheduler.
while read -r verb; do
    read -ra words <<<"$verb"
    program=("$rubato" "${words[@]}")
    check_options rubato "${words[@]}"
done < <(verbs)
program=("$rubato" simulate)
check_choices --policy rubato simulate
check_choices --unknown-model rubato simulate "$small"
program=("$rubato" bound)
check_choices --starts rubato bound "$small"
program=("$rubato" trace generate)
check_choices --dialect rubato trace generate --jobs = 5
for name in master worker trainer; do
    program=(build/bin/$name)
    check_options $name
done
program=("$scheduler")
check_options scheduler
check_choices --schedule scheduler
check_choices --scheme scheduler --print

# What starts like the word, and no blank after what wants a value.
offers "--policy=" rubato simulate --po
same "after --policy=" "$asked" "-o nospace "
offers "--json" rubato simulate --js
same "after --json" "$asked" ""
offers "--policy= --placement= --past-deadlines= --promise-share= --promise-horizon= --print-config" rubato simulate --p
offers "edf edf-accessctrl" rubato simulate --policy ed
offers "edf edf-accessctrl" rubato simulate --slot = 60 --policy = ed
offers "--policy=edf --policy=edf-accessctrl" rubato simulate --policy=ed
offers "" rubato simulate --policy sjf
offers "true false" rubato simulate --json =

# Lists with commas: one word after the other, none of them twice, and no blank after one.
offers "edf edf-accessctrl" rubato compare --policies ed
same "after a word of a list" "$asked" "-o nospace "
offers "ef,edf ef,edf-accessctrl" rubato compare --policies ef,ed
offers "ef,edf,edf-accessctrl" rubato compare --policies = ef,edf,ed
offers "--policies=ef,tiresias" rubato compare --policies=ef,tir
offers "trace,jct_mean_s trace,jct_p99_s" rubato compare --columns trace,jct
offers "EF-Q10,EF-Q33" rubato compare --rules EF-Q10,EF-Q33
offers "clean" rubato simulate --rules cl
offers "running,waiting" rubato list --state running,wa
offers "" rubato compare --policies ef,sjf

# A policy that is a program: its beginning without a blank, a file after that, and lists go on.
offers "exec:" rubato simulate --policy ex
same "after exec:" "$asked" "-o nospace "
offers "ef,exec:" rubato compare --policies ef,ex
offers "ef,exec:" rubato sweep --policies = ef,ex
offers_files rubato simulate --policy exec :
offers_files rubato simulate --policy exec : ./mi
offers_files rubato simulate --policy = exec : ./mi
offers "./mine.py,edf ./mine.py,edf-accessctrl" rubato compare --policies exec : ./mine.py,ed
offers "./mine.py,srtf" rubato compare --policies = edf,exec : ./mine.py,sr

# An @ in the name of a file.
cp "$small" "$work/tree/a@b.csv"
offers "@b.csv" rubato simulate a @ b.
offers "@b.csv @build/" rubato compare a @ b
rm "$work/tree/a@b.csv"

# Everything else is a file.
offers_files rubato simulate ''
offers_files rubato simulate tra
offers_files rubato simulate --json tra
offers_files rubato simulate --policy edf tra
offers_files rubato simulate --cluster ''
offers_files rubato simulate --cluster = clu
offers_files rubato simulate -- --po
offers_files rubato compare -j 2 ''
offers_files rubato trace info a.csv b
offers_files scheduler --log_path = ''
offers "--cluster=cluster_specs/" rubato simulate --cluster=cluster_s
same "after a folder" "$asked" "-o nospace "
offers "--cluster=$small_cluster" rubato simulate --cluster="${small_cluster%.csv}"
offers "@$small_cluster" rubato compare "$small" @ "${small_cluster%.csv}"
done_checking 100
