# rubato_ends_cli_test.sh - nodes that leave as the cluster spec says: a job that would outlive them is told so, one that
# ends before is promised, results are audited and a record is decided again as it was, and programs that have no use for
# the column refuse it.
source "$(dirname "$0")/../tools/cli.sh"

columns=num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node,available_until
printf '%s\n' "$columns" 1,1,8,64,256,1000 >"$work/one.csv"
printf '%s\n' "$columns" 1,2,8,64,256, 1,1,8,64,256,20000 1,1,8,64,256,40000 >"$work/four.csv"

# 4,000 s and 500 s on 8 GPUs.
rate=$(awk -F, '$1 == "vgg16" && $2 == 256 && $3 == 8 { print $4 }' throughputs/A100.csv)
iterations() { awk -v rate="$rate" -v seconds="$1" 'BEGIN { printf "%d", rate * seconds }'; }
cat >"$work/trace.csv" <<TRACE
job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
long,0,$(iterations 4000),vgg16,6000,256,8,4000
short,0,$(iterations 500),vgg16,900,256,8,500
late,2000,$(iterations 500),vgg16,4000,256,8,500
TRACE

told() { grep ",$1," "$work/results/outcomes.csv" | cut -d, -f3-6,8-; }

$rubato simulate --cluster "$work/one.csv" --results "$work/results" --record "$work/record" \
    "$work/trace.csv" >/dev/null 2>&1
same "a job that outlives its node" "$(told long)" \
    'best-effort,nodes-end,,failed,"0 best-effort: nodes-end, the nodes are known until 1000"'
same "a job that ends before its node" "$(told short)" 'promised,fits,900,on-time,"0 promised by 900"'
same "a job that comes after its node" "$(told late | cut -d, -f1-4)" 'declined,failed,,'
$rubato audit "$work/results" >/dev/null
$rubato replay "$work/record" >/dev/null

# Nodes leave beside many jobs, under each policy that may lose nodes.
$rubato trace generate --jobs 60 --seed 3 --output "$work/many.csv" >"$out"
for policy in rubato fifo srtf edf; do
    rm -rf "$work/results"
    $rubato simulate --policy $policy --rules clean --cluster "$work/four.csv" --results "$work/results" \
        --record "$work/record" --force "$work/many.csv" >/dev/null 2>&1
    $rubato audit "$work/results" >"$out" || fail "$policy: $(cat "$out")"
    $rubato replay "$work/record" >/dev/null
done

# Node 1 is reserved from the beginning, node 0 later; so a job that needs both waits, and none stands there meanwhile.
cat >"$work/reserved.csv" <<FAULTS
time,node,event,until
0,1,reserved,500
1500,0,reserved,1700
1500,1,reserved,1600
FAULTS
printf '%s\n' "${columns%,*}" 1,2,8,64,256 >"$work/two.csv"
cat >"$work/wide.csv" <<TRACE
job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
long,0,$(iterations 4000),vgg16,5200,256,8,4000
short,0,$(iterations 300),vgg16,400,256,8,300
TRACE
for policy in rubato fifo srtf edf; do
    rm -rf "$work/results"
    $rubato simulate --policy $policy --rules clean --cluster "$work/two.csv" --faults "$work/reserved.csv" \
        --results "$work/results" --record "$work/record" --force "$work/wide.csv" >/dev/null 2>&1
    same "when nodes are out of use under $policy" \
        "$(grep -o '^[0-9]*,node-[a-z]*,,[0-9]' "$work/results/disturbances.csv" | tr '\n' ' ')" \
        "0,node-draining,,1 500,node-up,,1 1500,node-draining,,0 1500,node-draining,,1 1600,node-up,,1 1700,node-up,,0 "
    $rubato audit "$work/results" >"$out" || fail "$policy: $(cat "$out")"
    $rubato replay "$work/record" >/dev/null
    [ "$policy" != rubato ] || same "no promise was withdrawn" "$(grep -c withdrawn "$work/results/outcomes.csv")" 0
done

column="$work/one.csv: column available_until:"
gives 2 $rubato bound --cluster "$work/one.csv" "$work/trace.csv"
grep -qF "$column a bound does not know when nodes leave" "$err" || fail "$(cat "$err")"
gives 2 $rubato simulate --bound --cluster "$work/one.csv" "$work/trace.csv"
grep -qF "$column a bound does not know when nodes leave" "$err" || fail "$(cat "$err")"
gives 2 $rubato quote --cluster "$work/one.csv" --model vgg16 --batch-size 256 --iterations 100 "$work/trace.csv"
grep -qF "$column a quote does not know when nodes leave" "$err" || fail "$(cat "$err")"
gives 2 $scheduler --simulation=False --cluster_spec="$work/one.csv" --trace_file="$work/trace.csv" --schedule=rubato \
    --log_path="$work/real"
grep -qF "$column a real cluster does not know when nodes leave" "$err" || fail "$(cat "$err")"
gives 2 $scheduler --serve --cluster_spec="$work/one.csv" --schedule=rubato --state="$work/state"
grep -qF "$column a service" "$err" || fail "$(cat "$err")"
