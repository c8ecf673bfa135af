# soften.awk - a trace of random_trace.awk in the dialect of Chronus: awk -F, -v seed=7 -f soften.awk trace.csv
#
# Jobs get up to three deadlines, each worth less than the one before; some ask for 3 or 5 GPUs. The random
# numbers are those of random_trace.awk.
function draw() {
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
NR == 1 {
    state = seed + 2000003
    for (i = 0; i < 8; i++)
        draw()
    print "job_id,submit_time,iterations,model_name,batch_size,num_gpu,duration,expect_time_list,expect_value_list," \
          "best_effort,job_type"
    next
}
{
    levels = 1 + int(draw() * 3)
    at = $5 - $2
    times = at
    values = 10
    for (i = 1; i < levels; i++) {
        at += 1 + int(draw() * 900)
        times = times "-" at
        values = values "-" 10 - 3 * i
    }
    gpus = draw() < 0.2 && $8 > 1 && $8 < 8 ? $8 + 1 : $8
    if ($7)
        times = values = ""
    print $1 "," $2 "," $3 "," $4 "," $6 "," gpus "," $9 "," times "," values "," $7 "," \
          ($7 ? "best" : levels > 1 ? "soft" : "strict")
}
