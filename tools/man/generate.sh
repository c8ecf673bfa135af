#!/usr/bin/env bash
# generate.sh BIN FIGURES FOLDER - makes the man pages in FOLDER with the programs in BIN and FIGURES, which prints the
# tables of figures (figures_page.c).
#
# The page of a command is what its option table gives (--print-man), then what PAGE.roff adds, with
# service.part for the verbs that ask a service, then the other pages. rubato.1 and the pages of file formats are written by hand and lack no more than
# the version and the verbs. FOLDER appears whole or not at all.
set -euo pipefail

bin=$1
figures=$2
folder=$3
here=$(dirname "$0")
new=$folder.new
version=$("$bin/rubato" --version)
version=${version#rubato }

rm -rf "$new"
mkdir -p "$new"

# The verbs as `rubato --help` has them: VERB, a tab, what it does.
verbs=$("$bin/rubato" --help | sed -n 's/^  \([a-z-]\{1,\}\( [a-z-]\{1,\}\)\{0,1\}\)   *\(.*\)$/\1\t\3/p')

list_verbs() {
    local verb summary

    while IFS=$'\t' read -r verb summary; do
        printf '.TP\n.B %s\n%s, see\n.BR rubato\\-%s (1)\n' \
            "${verb//-/\\-}" "${summary//-/\\-}" "$(sed 's/ /-/g; s/-/\\-/g' <<<"$verb")"
    done <<<"$verbs"
}

# add_page PAGE COMMAND...: the page of a command.
add_page() {
    local page=$1

    shift
    "$@" --print-man >"$new/$page.1"
    [ ! -e "$here/$page.roff" ] ||
        sed -e "/^@SERVICE@$/ { r $here/service.part" -e 'd }' -e "/^@COLUMNS@$/ { r $new.columns" -e 'd }' \
            "$here/$page.roff" >>"$new/$page.1"
}

# Every page names all others, commands before formats.
add_see_also() {
    local page other line

    for page in "$new"/*; do
        line=
        for other in "$new"/*.[157]; do
            [ "$other" != "$page" ] || continue
            other=${other##*/}
            line+=".BR ${other%.*} (${other##*.}),"$'\n'
        done
        printf '.SH SEE ALSO\n%s\n' "$(sed '$ s/,$//; s/-/\\-/g' <<<"${line%$'\n'}")" >>"$page.also"
    done
    for page in "$new"/*.also; do
        cat "$page" >>"${page%.also}"
        rm "$page"
    done
}

for page in "$here"/*.[157]; do
    sed "s/@VERSION@/$version/" "$page" | while IFS= read -r line; do
        case $line in
        @VERBS@) list_verbs ;;
        @FIGURES@) "$figures" summary ;;
        @VARIABLES@) "$bin/trainer" --print-launch=variables ;;
        @PLACEHOLDERS@) "$bin/trainer" --print-launch=placeholders ;;
        *) printf '%s\n' "$line" ;;
        esac
    done >"$new/${page##*/}"
done
"$figures" columns >"$new.columns"
for program in scheduler master worker trainer; do
    add_page "$program" "$bin/$program"
done
while IFS=$'\t' read -r verb _; do
    read -ra words <<<"$verb"
    add_page "rubato-${verb// /-}" "$bin/rubato" "${words[@]}" </dev/null
done <<<"$verbs"
add_see_also

rm -rf "$folder" "$new.columns"
mv "$new" "$folder"
