# testbed_flags_test.sh - what master, worker and scheduler say of their flags before they start anything.
source "$(dirname "$0")/cli.sh"

worker() {
    build/bin/worker --emulate --run-dir "$work/run" "$@"
}

real() {
    $scheduler --simulation=False --trace_file=$small --cluster_spec=$small_cluster "$@"
}

# ---- names are the same with keys and without ----

rule="a name is at most 63 letters, digits, '.', '_' and '-', no '.' first"
long=$(printf 'n%.0s' {1..64})
passes $rubato keys --folder "$work/keys" node-a
for name in "two words" "../up" ".hidden" "a=b" "$long"; do
    for keys in "" "--keys=$work/keys"; do
        refused "--name: \"$name\": $rule" worker --name "$name" $keys
        refused "--name: \"$name\": $rule" real --name "$name" $keys
    done
done
refused "--name: \"a?event=up\": $rule" worker --name $'a\nevent=up'

# ---- a program that cannot be started is told at once ----

program() { # TEXT MODE
    printf '%b' "$1" >"$work/train"
    chmod "$2" "$work/train"
    echo "$work/train" >"$work/program"
}

no_program() { # SENTENCE
    refused "--program: $work/program: $1" worker --program "$work/program"
}

program '#!/bin/true\n' 644
no_program "$work/train: it may not be executed (chmod +x)"
program '#!/no/python\n' 755
no_program "$work/train: its interpreter: /no/python: No such file or directory"
program 'data\n' 755
no_program "$work/train: it is neither a binary nor a script that begins with #!"
echo "$work" >"$work/program"
no_program "$work: it is a folder, no program"
echo train.py >"$work/program"
no_program "train.py: cannot be read: No such file or directory"
refused "--program: $work/program: no-python: there is no such program in PATH" \
    worker --program "$work/program" --python no-python

# ---- --check reads all and leaves nothing ----

passes real --check --log_path="$work/results/deep"
passes $scheduler --trace_file=$small --cluster_spec=$small_cluster --check --log_path="$work/results/deep"
same "what is printed" "$(cat "$out")" ""
passes build/bin/worker --emulate --check --run-dir "$work/new/run"
same "what is left" "$(ls "$work" | tr '\n' ' ')" "err keys out program train tree "
refused "no-such.csv: cannot be read" real --check --trace_file=no-such.csv
refused "--master: expected ADDRESS:PORT, found \"here\"" real --check --master=here
refused "$work/train/x: the folder cannot be made: Not a directory" real --check --log_path="$work/train/x"
refused "--run-dir: $work/train/x: the folder cannot be made" worker --check --run-dir "$work/train/x"
refused "policy ef works with the placement scheme" $scheduler --trace_file=$small --check --schedule=ef --scheme=gandiva

# What is only needed once there is a master is looked at, too.
trainer="; --trainer=FILE says where the trainer is"
refused "$work: it is a folder, no program$trainer" worker --check --trainer "$work"
refused "$work/train: it is neither a binary nor a script that begins with #!$trainer" \
    worker --check --trainer "$work/train"
refused "no-such: no such folder of throughput tables" worker --check --throughputs no-such
refused "no throughput table for GPU type NOPE" worker --check --gpu-type NOPE
passes worker --check --throughputs throughputs --gpu-type T4
refused "--address: no such host: " worker --check --address "no such host"
passes worker --check --address ::1
refused "$work/keys/master.pub: No such file or directory" worker --check --name node-a --keys "$work/keys"
refused "$work/keys/master.pub: No such file or directory" real --check --name node-a --keys "$work/keys"

# ---- files that may be open ----

limited() { # ulimit's OPTION, LIMIT and a COMMAND
    (ulimit "$1" "$2" && "${@:3}")
}

may_open="files are to be open at once, and at most 40 may be (ulimit -n)"
refused "$may_open" limited -n 40 worker --gpus 16
refused "$may_open" limited -n 40 worker --check --gpus 16
refused "$may_open" limited -n 40 build/bin/master --port 0
passes limited -Sn 40 worker --check --gpus 16

# ---- peers on other machines are spoken to with keys only, and what a process waits for is in its log ----

needs="an address other than 127.0.0.1 and [::1] needs --keys"
refused "tcp://localhost:6888: $needs" real --check --master=localhost:6888
refused "tcp://localhost:6888: $needs" worker --check --master-ip localhost

# hears WORDS COMMAND...: starts it, and waits until a line of its log has the words. Then $line is that line and $pid
# the process. (A coprocess would not do: its variables are gone as soon as it has ended.)
hears() {
    exec {log}< <(exec "${@:2}" 2>&1 >/dev/null)
    pid=$!
    while read -r line <&"$log" && [[ $line != *$1* ]]; do :; done
    [ -n "$line" ] || fail "nothing is said of $1"
    checks=$((checks + 1))
}

ended() { # the process of `hears`, by a signal
    kill "$pid"
    wait "$pid" || true
    exec {log}<&-
}

waits() { # SENTENCE COMMAND...: it says that it waits, and what for
    hears "event=waiting *$1" "${@:2}"
    ended
}

waits "master=tcp://127.0.0.1:1" build/bin/worker --emulate --run-dir "$work/run" --master-port 1
waits "master=127.0.0.1:1" $scheduler --simulation=False --trace_file=$small --cluster_spec=$small_cluster \
    --master=127.0.0.1:1

# ---- a peer that comes without keys to a master that wants them is told so ----

passes $rubato keys --folder "$work/keys" --role master
passes worker --check --name node-a --keys "$work/keys"
passes real --check --name node-a --keys "$work/keys"
hears "event=up " build/bin/master --port 0 --keys "$work/keys"
port=${line##*endpoint=tcp://127.0.0.1:}
gives 2 real --master="127.0.0.1:${port%% *}"
says "it ends every handshake: it wants --keys, or is no process of Rubato"
ended
done_checking 60
