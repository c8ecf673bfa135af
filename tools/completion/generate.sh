#!/usr/bin/env bash
# generate.sh BIN FOLDER - makes the bash completions of the programs in BIN, a file each in FOLDER:
# completion.bash with the verbs of `rubato --help` and the option tables of --print-words put in.
set -euo pipefail

bin=$1
folder=$2
template=$(<"$(dirname "$0")/completion.bash")
verbs=$("$bin/rubato" --help | sed -n 's/^  \([a-z-]\{1,\}\( [a-z-]\{1,\}\)\{0,1\}\)   .*$/\1/p')

# add_table VERB WORDS: a branch of the `case` that finds the table of a verb.
add_table() {
    tables+="    '$1')"$'\n'"        options='$2'"$'\n'"        ;;"$'\n'
}

# write PROGRAM VERBS
write() {
    local text=${template//@program@/$1}

    text=${text//@verbs@/"$2"}
    text=${text//@tables@$'\n'/"$tables"}
    printf '%s\n' "$text" >"$folder/$1.new"
    mv "$folder/$1.new" "$folder/$1"
}

mkdir -p "$folder"

for program in scheduler master worker trainer; do
    tables=
    add_table '' "$("$bin/$program" --print-words </dev/null)"
    write "$program" ''
done

tables=
add_table '' $'--help\n--version'
while read -r verb; do
    read -ra words <<<"$verb"
    add_table "$verb" "$("$bin/rubato" "${words[@]}" --print-words </dev/null)"
done <<<"$verbs"
write rubato "$verbs"
