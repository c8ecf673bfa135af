#!/usr/bin/env bash
# service_quotes_test.sh - in random states of one live service, to which many users submit while jobs run and end and
# nodes drain and are back, the deadline that a quote names is promised when it is submitted next, a second less is not,
# unless the journal shows that something unforeseen came between; and no easier deadline is refused at one and the same
# moment, in up to 64 comparisons for each state. RUBATO_TIMES says how many states.
policy=rubato
source tests/e2e/service.sh

states=${RUBATO_TIMES:-$((16 * ${RUBATO_SOAK:-1}))}
make_keys master scheduler worker:{a,b,c} submit:u{0,1,2,3} operate:otto
cluster=$work/n3g4.csv
printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,3,4,40,256\n' >"$cluster"
start master "$bin/master" -p 6888 -n 3 --heartbeat="$heartbeat" --lease="$lease" --keys="$keys"
for name in a b c; do
    start worker:$name "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 4 -r "$shared" --name=$name --address=127.0.0.1 \
        --emulate --keys="$keys"
    await master "event=worker-up .* name=$name" >/dev/null
done
slots=(0 30)
start_service --scheduling_slot="${slots[${RUBATO_SEED:-1} % 2]}" --time_scale=8 --master=127.0.0.1:6888
served
for node in 0 1 2; do
    await scheduler "cause=\"node $node joined" >/dev/null
done

helper quote_states "$keys" "$states" "$work/tries" | tee "$work/drive"
[ "${PIPESTATUS[0]}" -eq 0 ] || fail "$(cat "$work/drive")"
end_service
helper quiet_tries "$state/state.db" "$work/tries" | tee -a "$work/drive"
[ "${PIPESTATUS[0]}" -eq 0 ] || fail "a quote is not true: $(tail -n 30 "$work/drive")"

count() { # NAME
    sed -n "s/^.* $1=\([0-9]*\).*/\1/p" "$work/drive"
}
named=$(count named)
[ "$named" -gt 0 ] || fail "no deadline that was named is submitted in time"
quiet=$((named + $(count less) + $(count changed)))
[ $((2 * quiet)) -gt "$(count disturbed)" ] || fail "two in three tries are disturbed and tell nothing"
[ $(($(count less) + $(count late))) -gt 0 ] || fail "a second less is never tried"
[ "$(count easier)" -gt 0 ] || fail "no deadlines are compared"
note info "$(tail -n 2 "$work/drive" | tr ' \n' ,)"
passed=yes
