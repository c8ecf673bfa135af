# lsf_test.sh - the job with the least slack gets the fewest GPUs that end it in time, then the next; what is left makes
# jobs faster in the same order. Late jobs and those without a deadline come last.
source tests/tools/cli.sh

header=job_id,submission_time,num_iteration,model_name,deadline,batch_size,best_effort

# runs NAME ROWS...: under lsf on one node of 8 GPUs; resnet50 does 3.7, 6.6, 11.2 and 16.5 iterations/s on 1, 2, 4 and 8.
runs() {
    printf '%s\n' "$header" "${@:2}" >"$work/$1.csv"
    passes "$rubato" simulate --policy lsf --cluster n1g8 --slot 60 --results "$work/$1" "$work/$1.csv"
    passes "$rubato" audit "$work/$1"
}

first_layout() { # NAME
    sed -n 2p "$work/$1/rounds.csv" | cut -d, -f2
}

outcome() { # NAME JOB
    awk -F, -v id="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["job_id"] == id { print $at["outcome"] }' \
        "$work/$1/outcomes.csv"
}

# `tight` needs 4 GPUs, `loose` one. The other 3 are too few for the next size of `tight`, so `loose` has them.
runs in_time loose,0,1000,resnet50,9000,128,0 tight,0,1100,resnet50,120,128,0
same "who holds what" "$(first_layout in_time)" "0@0x4 1@4x4"
same "the tight one" "$(outcome in_time tight)" on-time
same "the loose one" "$(outcome in_time loose)" on-time

# One that is late, and one without a deadline, get what is left.
runs late late,0,10000,resnet50,100,128,0 free,0,10000,resnet50,9000,128,1 tight,0,1100,resnet50,120,128,0
same "the tight one beside others" "$(outcome late tight)" on-time
same "the late one" "$(outcome late late)" late

# All that it runs on is more than there is.
printf '%s\n' model,global_batch_size,gpus,iterations_per_s wide,128,16,10 >"$work/A100.csv"
printf '%s\n' "$header" wide,0,100,wide,1000,128,0 >"$work/wide.csv"
passes "$rubato" simulate --policy lsf --cluster n1g8 --throughputs "$work" --results "$work/wide" "$work/wide.csv"
same "a job that cannot run" "$(tail -n 1 "$work/wide/outcomes.csv")" '0,wide,declined,too-large,,,,"0 declined: too-large"'

# Honest beats flattering: a plain baseline is to be as good as it can be.
passes "$rubato" simulate --policy lsf --cluster n16g8 --slot 240 --json testbed195
on_time=$(sed -n 's/^ *"on_time": \([0-9]*\),/\1/p' "$out")
[ "$on_time" -ge 178 ] || fail "only $on_time of testbed195 end on time"
done_checking 10
