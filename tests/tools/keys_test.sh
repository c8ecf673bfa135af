# keys_test.sh - `rubato keys` as it is typed.
source "$(dirname "$0")/cli.sh"

passes "$rubato" keys --folder "$work/k" --role master
same "what it says" "$(cat "$out")" "$work/k/master.key: the keys of master master"
passes "$rubato" keys --folder="$work/k" --role=scheduler
passes "$rubato" keys --folder "$work/k" node-a node_b.example 7
same "a line for each" "$(cat "$out")" "$work/k/node-a.key: the keys of worker node-a
$work/k/node_b.example.key: the keys of worker node_b.example
$work/k/7.key: the keys of worker 7"
passes "$rubato" keys --folder "$work/k" --role scheduler --name night day
same "role and name of each key" "$(cut -d' ' -f2- "$work/k/allowed")" "master master
scheduler scheduler
worker node-a
worker node_b.example
worker 7
scheduler night
scheduler day"
same "the files" "$(ls "$work/k" | wc -l)" 15
same "the folder" "$(stat -c %a "$work/k")" 700
same "the rights of secret keys" "$(stat -c %a "$work"/k/*.key | sort -u)" 600
same "the keys of the list" "$(cut -d' ' -f1 "$work/k/allowed" | sort)" \
    "$(tail -qn 1 "$work"/k/*.pub | sort)"
same "no key twice" "$(sort -u <(cut -d' ' -f1 "$work/k/allowed") | wc -l)" 7

# Users.
for role in submit operate read; do
    passes "$rubato" keys --folder "$work/users" --role "$role" "a-$role"
done
same "role and name of users" "$(cut -d' ' -f2- "$work/users/allowed")" "submit a-submit
operate a-operate
read a-read"

# What is there stays as it is, and what cannot be made leaves nothing.
cp "$work/k/node-a.key" "$work/before"
refused "node-a.key: cannot be made: File exists" "$rubato" keys --folder "$work/k" node-a
cmp "$work/before" "$work/k/node-a.key"
cp "$work/k/allowed" "$work/before"
refused "\"../x\": a name is at most 63 letters" "$rubato" keys --folder "$work/k" ../x
refused "\"a b\": a name" "$rubato" keys --folder "$work/k" "a b"
refused "\"\$(id)\": a name" "$rubato" keys --folder "$work/k" '$(id)'
refused "name the workers that get keys" "$rubato" keys --folder "$work/k"
refused "name the users that get keys" "$rubato" keys --folder "$work/k" --role operate
refused "--role: expected one of master, scheduler, worker, submit, operate, read, found \"boss\"" \
    "$rubato" keys --folder "$work/k" --role boss x
cmp "$work/before" "$work/k/allowed"
refused "the folder cannot be made" "$rubato" keys --folder "$work/before/k" x
refused "a name" "$rubato" keys --folder "$work/new" .x
[ ! -e "$work/new" ] || fail "a folder is left"
done_checking 25
