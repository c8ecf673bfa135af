# front_test.sh - `rubato` itself: help, version, verbs that there are and that there are not.
source "$(dirname "$0")/cli.sh"

passes "$rubato" --help
cp "$out" "$work/help"
same "the first line" "$(head -1 "$out")" "Usage: rubato VERB [OPTION...]"
same "the verbs" "$(verbs | tr '\n' ',')" \
    "up,down,submit,list,show,explain,wait,cancel,hold,release,change,logs,history,promises,whatif,profile,learn,profiles,top,status,nodes,drain,resume,reserve,reservations,state,simulate,compare,sweep,bound,quote,local,replay,audit,report,figure,export,policies,quirks,keys,new-policy,trace info,trace validate,trace convert,trace generate,trace import,trace overhead,trace search,"
passes "$rubato" help
cmp "$out" "$work/help"
passes "$rubato" help help
cmp "$out" "$work/help"

# The release, and which decisions it makes: by the sources of the folders that decide, in whatever checkout.
(cd "$project" && LC_ALL=C && sha256sum common/{heap,rng,sort}.[ch] common/{list,wide}.h \
    scheduler/{admission,engine,external,placement,plan,planner,policies,record,reference,solver,state}/*.[ch]) |
    LC_ALL=C sort -k2 >"$work/sums"
passes "$rubato" --version
same "the version" "$(cat "$out")" \
    "rubato $(sed -nE 's/^project\(rubato VERSION ([0-9.]+).*/\1/p' "$project/CMakeLists.txt") (decisions $(sha256sum <"$work/sums" | cut -c1-12))"
mkdir -p "$work/checkout/scheduler/policies"
echo 'int policy;' >"$work/checkout/scheduler/policies/policy.c"
identity() {
    passes cmake -D files=scheduler/policies/policy.c -D folder="$work/checkout" -D release=1 -D output="$work/version.c" \
        -P "$project/cmake/write_version.cmake"
    grep -o 'decisions [0-9a-f]*' "$work/version.c"
}
before=$(identity)
same "the identity of the same sources" "$(identity)" "$before"
echo 'int another;' >>"$work/checkout/scheduler/policies/policy.c"
[ "$(identity)" != "$before" ] || fail "other decisions have the same identity"

# Without a verb the help is a complaint.
gives 2 "$rubato"
[ ! -s "$out" ] || fail "help without being asked on stdout"
cmp "$err" "$work/help"

refused 'there is no verb "fly"; `rubato --help` lists them' "$rubato" fly
refused 'there is no verb "fly"; `rubato --help` lists them' "$rubato" fly away
refused 'there is no verb "--no-such-option"' "$rubato" --no-such-option

# Words that are nearly right.
refused 'there is no verb "simulte"; did you mean "simulate"?' "$rubato" simulte "$small"
refused 'there is no verb "trace inof"; did you mean "trace info"?' "$rubato" trace inof
refused 'there is no verb "simlate"; did you mean "simulate"?' "$rubato" help simlate
refused 'there is no verb "simulat"; did you mean "simulate"?' "$rubato" simulat testbed25
refused 'there is no verb "compair"; did you mean "compare"?' "$rubato" compair testbed25@n4g8
refused 'there is no verb "figures"; did you mean "figure"?' "$rubato" figures all
refused 'there is no verb "trcae info"; did you mean "trace info"?' "$rubato" trcae info
refused 'there is no verb "fig"; did you mean "figure"?' "$rubato" fig 6a
refused 'there is no verb "sub"; did you mean "submit"?' "$rubato" sub
refused 'there is no verb "--versio"; did you mean "--version"?' "$rubato" --versio
refused 'there is no verb "import"; did you mean "trace import"?' "$rubato" import "$small"
refused 'help: expected one verb, found "extra" after it' "$rubato" help simulate extra
refused 'help: expected one verb, found "extra" after it' "$rubato" help trace info extra
refused "unrecognized option '--polcy'; did you mean --policy?" "$rubato" simulate --polcy=ef "$small"
refused "unrecognized option '--slto'; did you mean --slot?" "$rubato" compare --policies ef --slto 60 "$small"
refused "unrecognized option '--fly'; \`rubato bound --help\` lists all" "$rubato" bound --fly "$small"
refused 'found "edff"; did you mean "edf"?' "$rubato" simulate --policy edff "$small"
refused 'there is no policy "tiresais"; did you mean "tiresias"?' "$rubato" compare --policies ef,tiresais "$small"
refused "unrecognized option '--trac_file'; did you mean --trace_file?" "$scheduler" --trac_file x

# Help in every spelling, and the verbs that begin with "trace".
passes "$rubato" -h
cmp "$out" "$work/help"
passes "$rubato" help simulate
cp "$out" "$work/simulate"
passes "$rubato" simulate -h
cmp "$out" "$work/simulate"
passes "$rubato" trace --help
cp "$out" "$work/trace"
same "the verbs of trace" "$(grep -c '^  trace ' "$out")" "$(grep -c '^  trace ' "$work/help")"
passes "$rubato" --help simulate
cmp "$out" "$work/simulate"
for words in "trace -h" "help trace" "trace help" "-h trace"; do
    passes "$rubato" $words
    cmp "$out" "$work/trace"
done
passes "$rubato" help trace info
grep -q '^Usage: rubato trace info' "$out" || fail "the help of trace info: $(head -1 "$out")"
gives 2 "$rubato" trace
cmp "$err" "$work/trace"
refused 'there is no verb "trace fly"' "$rubato" trace fly

# A simulation loads what sends messages as little as a verb of a service does; scheduler-live is for a real cluster.
loaded() {
    passes env LD_TRACE_LOADED_OBJECTS=1 "$1"
    grep -c '=>' "$out" || fail "$1 loads nothing"
}
if [ -z "${RUBATO_SANITIZED:-}" ]; then
    [ "$(loaded "$scheduler")" -le 8 ] || fail "the scheduler loads $(cat "$out")"
    [ "$(loaded "$rubato")" -le 10 ] || fail "rubato loads $(cat "$out")"
fi
cp "$scheduler" "$work/scheduler"
for words in "--serve" "--config=$work/none" "--simulation=False --trace_file=$small"; do
    refused "$work/scheduler-live, which runs real clusters, cannot be started: No such file or directory" \
        "$work/scheduler" $words
done
passes "$work/scheduler" --trace_file="$small" --cluster_spec="$small_cluster" --throughputs=throughputs
refused "--state is missing" "$scheduler" --serve
echo "simulation = false" >"$work/config"
refused "--trace_file is missing" "$scheduler" --config <(cat "$work/config")

# Large libraries are those of the verbs in rubato-more alone, which `rubato` becomes with its process and its words.
more=$rubato-more
for program in "$rubato" "$more"; do
    passes env LD_TRACE_LOADED_OBJECTS=1 "$program"
    same "the large libraries of $program" "$(grep -oE '\blib(c?zmq|cairo)\.' "$out" | sort -u | tr -d '\n')" \
        "$([ "$program" = "$rubato" ] || echo libcairo.libzmq.)"
done
mkfifo "$work/fifo"
bash -c 'exec -a strange "$@"' - "$rubato" figure --config "$work/fifo" all &
exec 3>"$work/fifo" # waits until the verb reads
same "the name of the process" "$(cat /proc/$!/comm)" rubato
same "its words" "$(tr '\0' ' ' </proc/$!/cmdline)" "strange figure --config $work/fifo all "
kill $!
gives 143 wait $!
exec 3>&-
mkdir "$work/alone"
cp "$rubato" "$work/alone"
passes "$work/alone/rubato" trace info "$small"
for words in "figure all" "help figure"; do
    refused "rubato figure: $work/alone/rubato-more, which has this verb, cannot be started: No such file or directory" \
        "$work/alone/rubato" $words
done
refused '`rubato VERB` starts this program' "$more"
refused '`rubato VERB` starts this program' "$more" simulate "$small"

# What only reads has --json, with the version of its form.
passes "$rubato" simulate --policy edf --cluster "$small_cluster" --record "$work/record" --results "$work/run" "$small"
for words in "replay $work/record" "trace validate $small" "trace info $small" "audit $work/run" quirks \
    "bound --cluster $small_cluster $small" "compare --policies edf $small" "simulate --policy edf $small"; do
    passes "$rubato" $words --json
    grep -q '^  "schema_version": 1,$' "$out" || fail "no version in the JSON of $words: $(head -5 "$out")"
done

# No deadline is null, and no large number.
printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort \
    some,0,700,vgg16,9000,64,0 none,0,700,vgg16,1,64,1 >"$work/none.csv"
passes "$rubato" simulate --cluster n1g8 --results "$work/none" "$work/none.csv"
for words in "show $work/none" "audit --all $work/none" "trace info $work/none.csv" "bound --cluster n1g8 $work/none.csv" \
    "quote --cluster n1g8 --model vgg16 --batch-size 64 --iterations 70000000000 $work/none.csv"; do
    passes "$rubato" $words --json
    ! grep -qE '922337203685477|: [0-9]{16}' "$out" || fail "a number for no deadline in the JSON of $words: $(cat "$out")"
done
passes "$rubato" replay --json "$work/record"
grep -q '^  "same": true,$' "$out" || fail "$(cat "$out")"
gives 2 "$rubato" trace validate --json --gpu-type A100 "$small" no-such.csv
same "what is valid" "$(grep -E '"(ok|jobs|hopeless_deadlines|error)"' "$out" | tr -d ' ' | tr '\n' ' ')" \
    '"ok":true, "jobs":25, "hopeless_deadlines":3, "error":null "ok":false, "jobs":null, "hopeless_deadlines":null, "error":"no-such.csv:cannotberead:Nosuchfileordirectory" '

# Every verb, and the scheduler: help, unknown options, a config that is read back as it was printed.
foreign=
check_command() {
    local name=$1 word

    shift
    passes "$@" --help
    grep -q "^Usage: $name \[OPTION" "$out" || fail "the help of $name: $(head -1 "$out")"
    [ "$(wc -L <"$out")" -le 80 ] || fail "the help of $name is wider than 80 columns"
    cp "$out" "$work/shown"
    for word in $(grep -oE -e '--[a-z][a-z_-]+' "$out" | LC_ALL=C sort -u); do
        grep -qE -e "^ {2,6}(-., )?$word([=[ ]|\$)" "$out" || foreign+="$name $word,"
    done
    passes "$@" -h
    cmp "$out" "$work/shown"
    passes "$@" --usage
    passes "$@" --version
    same "the version of $name" "$(cat "$out")" "${name%% *} $("$rubato" --version | cut -d' ' -f2-)"
    gives 2 "$@" --no-such-option
    says "$name: unrecognized option '--no-such-option'"
    passes "$@" --print-config
    cp "$out" "$work/config"
    passes "$@" --config="$work/config" --print-config
    cmp "$out" "$work/config"
    refused "no-such: cannot be read" "$@" --config no-such
    echo 'no_such_key = 1' >"$work/config"
    refused "no_such_key" "$@" --config "$work/config"
}

for program in scheduler master worker trainer; do
    check_command $program build/bin/$program
done
mute=
while read -r verb; do
    read -ra words <<<"$verb"
    check_command "rubato $verb" "$rubato" "${words[@]}"
    grep -qE '^ +--json' "$work/shown" || mute+="$verb,"
done < <(verbs)
same "options in a help that are those of another program" "$foreign" \
    "rubato sweep --partition,rubato bound --rules,rubato replay --record,rubato policies --policy,rubato policies --schedule,rubato quirks --rules,rubato keys --keys,rubato new-policy --policy,rubato trace import --format,rubato trace import --parsable,rubato trace overhead --debug,rubato trace overhead --trace,"
same "what has no --json, as it makes files or processes" "$mute" \
    "up,down,state,sweep,report,figure,export,keys,new-policy,trace convert,trace generate,trace import,trace overhead,trace search,"
done_checking 551
