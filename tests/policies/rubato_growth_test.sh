# rubato_growth_test.sh - a job on an idle cluster gets what it needs to be in time, also where no plan could promise it:
# for the price of restarts and losses that may come, but do not.
source tests/tools/cli.sh

# ends_at DEADLINE OPTIONS...: when the one job ends, which takes 155 s on the GPUs that are best for it.
ends_at() {
    printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size "a,0,1530,bert,$1,128" >"$work/one.csv"
    passes "$rubato" simulate --cluster n8g8 --force --results "$work/one" "${@:2}" "$work/one.csv"
    tail -n 1 "$work/one/jobs.csv" | cut -d, -f6
}

in_time() { # DEADLINE OPTIONS...
    local end

    end=$(ends_at "$@")
    [ "${end%.*}" -le "$1" ] || fail "with a deadline at $1 s it ends at $end s ($*)"
    checks=$((checks + 1))
}

same "the end of a job that no GPUs end in time" "$(ends_at 154 --slot 1 | cut -d. -f1)" 155
for deadline in 155 156 157 200; do
    in_time "$deadline" --slot 1
    in_time "$deadline" --slot 0
done
for deadline in 155 200 300 400 431 500; do
    in_time "$deadline" --spare-nodes 1
done

# A quiet cluster with a node in reserve ends about as many jobs in time as one without.
passes "$rubato" trace generate --seed 7 --jobs 200 --arrival-interval 200 --duration 60:900 --tightness 0.5:1.5 \
    --output "$work/quiet.csv"
for spares in 0 1; do
    passes "$rubato" simulate --cluster n16g8 --spare-nodes $spares --json "$work/quiet.csv"
    eval "on_time_$spares=$(sed -n 's/^ *"on_time": \([0-9]*\),/\1/p' "$out")"
done
[ "$on_time_1" -ge $((on_time_0 * 9 / 10)) ] || fail "$on_time_1 jobs on time with a node in reserve, $on_time_0 without"
done_checking 18
