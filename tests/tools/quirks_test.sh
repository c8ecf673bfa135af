# quirks_test.sh - `rubato quirks` as it is typed; every quirk that it lists can be put right, alone and
# with all others; and the page about them is what the command for it writes.
source "$(dirname "$0")/cli.sh"

passes "$rubato" quirks --csv
cp "$out" "$work/all.csv"
same "the columns" "$(head -1 "$out")" "tag,policies,clean,reference_does,clean_does"
passes "$rubato" quirks --json --policy edf
same "the schema" "$(schema <"$out" | awk "!seen[\$0]++")" "schema_version integer
quirks array
    tag string
    policies string
    clean boolean
    reference_does string
    clean_does string"
passes "$rubato" quirks
same "the tags for users" "$(grep -v '^ ' "$out" | cut -d' ' -f1)" \
    "$(tail -n +2 "$work/all.csv" | cut -d, -f1)"
refused "unexpected argument \"EF-Q3\"" "$rubato" quirks EF-Q3
refused "--policy: expected one of all, " "$rubato" quirks --policy no-such

for names in dlas-gpu:tiresias chronus:time-aware-with-lease; do
    passes "$rubato" quirks --csv --policy "${names%:*}"
    cp "$out" "$work/own.csv"
    passes "$rubato" quirks --csv --policy "${names#*:}"
    cmp "$out" "$work/own.csv" || fail "${names#*:} has other quirks than ${names%:*}"
done

policies=$("$scheduler" --print-words | sed -n 's/^--schedule= //p' | tr ' ' '\n' |
    grep -vxE 'tiresias|time-aware-with-lease|.*:')

# Whatever tag a sentence names, the list has it.
sources=("$project"/{scheduler,common,tools})
tags_of_sentences=$(grep -rhoE '"[^"]*(EF|CO|CH|GA|TI|TH)-Q[0-9]+[^"]*"' --include=*.c --include=*.h "${sources[@]}" |
    grep -oE '(EF|CO|CH|GA|TI|TH)-Q[0-9]+' | sort -u)
[ "$(wc -l <<<"$tags_of_sentences")" -ge 20 ] || fail "sentences name these tags only: $tags_of_sentences"
for tag in $tags_of_sentences; do
    grep -q "^$tag," "$work/all.csv" || fail "a sentence names $tag, which rubato quirks does not list"
    grep -q "^| $tag |" "$project/docs/reference-quirks.md" || fail "docs/reference-quirks.md does not list $tag"
done

runs=0
for policy in $policies; do
    passes "$rubato" quirks --csv --policy "$policy"
    cp "$out" "$work/own.csv"
    same "the quirks of $policy" "$(tail -n +2 "$work/own.csv")" \
        "$(tail -n +2 "$work/all.csv" | awk -F, -v policy="$policy" '
            { count = split($2, names, " ") }
            { for (i = 1; i <= count; i++) if (names[i] == policy) print }')"
    tags=$(awk -F, '$3 == 1 { print $1 }' "$work/own.csv")
    for rules in reference clean $tags "$(paste -sd, <<<"${tags:-reference}")"; do
        passes "$rubato" simulate "$small" --cluster "$small_cluster" --policy "$policy" \
            --rules "$rules" --force --results "$work/results"
        "$rubato" audit "$work/results" >"$out" || [ $? -eq 1 ] # promises may break
        grep -q ' broken, 0 violations, ' "$out" || fail "$policy, $rules: $(grep VIOLATION "$out")"
        runs=$((runs + 1))
    done
done
[ $runs -ge 40 ] || fail "only $runs runs"

# The page. It is made from the public traces.
cd "$project"
status=0
RUBATO_SHARED=$work/nowhere tools/quirk_table.sh "$built" "$work/page" >"$out" 2>"$err" || status=$?
same "the exit status without traces" $status 2
says "there are no public traces in $work/nowhere"
[ ! -e "$work/page" ] || fail "a page without traces"
if [ -d "${RUBATO_SHARED:-../shared}/traces" ] &&
    [ -z "${RUBATO_SANITIZED:-}" ]; then # sanitizers take a quarter of an hour over it
    tools/quirk_table.sh "$built" "$work/page" >"$out"
    same "docs/reference-quirks.md" "$(cat docs/reference-quirks.md)" "$(cat "$work/page")"
fi
done_checking 79
