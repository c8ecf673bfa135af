# random_trace.awk - a random trace: awk -v seed=7 -v jobs=20 -v mean_gap=30 -f random_trace.awk
#
# Jobs that arrive together, deadlines that cannot be met and best effort are all in it. The random
# numbers are those of Park and Miller (1988), so that a seed gives the same trace everywhere.
function draw() {
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
function spread(low, high) {
    return int(low * exp(draw() * log(high / low)))
}
BEGIN {
    split("bert 64,gpt2 128,inception3 64,resnet50 256,vgg16 128", models, ",")
    state = seed + 1
    for (i = 0; i < 8; i++)
        draw()
    print "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort"
    for (i = 0; i < jobs; i++) {
        if (draw() < 0.75)
            now += int(-mean_gap * log(draw()))
        split(models[1 + int(draw() * 5)], model, " ")
        printf "j%d,%d,%d,%s,%d,%s,%d\n", i, now, spread(20, 4000), model[1],
               now + spread(10, 1200), model[2], draw() < 0.2
    }
}
