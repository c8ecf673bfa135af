# random_trace.awk - a random trace: awk -v seed=7 -v jobs=20 -v mean_gap=30 -v gpus_log2=4 -f random_trace.awk
#
# Jobs that arrive together, deadlines that cannot be met and best effort are all in it; jobs ask for up
# to 2^gpus_log2 GPUs, and durations, some of them 0, have nothing to do with iterations. The random numbers are those of
# Park and Miller (1988), so that a seed gives the same trace everywhere.
function next_state(state) {
    return (state * 16807) % 2147483647
}
function draw() {
    state = next_state(state)
    return state / 2147483647
}
# Sizes have numbers of their own, so that the rest is the same without them.
function draw_size() {
    size_state = next_state(size_state)
    return size_state / 2147483647
}
function spread(low, high) {
    return int(low * exp(draw() * log(high / low)))
}
function duration() {
    lasts = int(5 * exp(draw_size() * log(300)))
    return lasts < 7 ? 0 : lasts
}
function gpus(model) {
    asked = 2 ^ int(draw_size() * (gpus_log2 + 1))
    return model == "bert" && asked > 8 ? 8 : asked
}
BEGIN {
    split("bert 64,gpt2 128,inception3 64,resnet50 256,vgg16 128", models, ",")
    state = seed + 1
    size_state = seed + 1000003
    for (i = 0; i < 8; i++) {
        draw()
        draw_size()
    }
    print "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort,num_gpu,duration"
    for (i = 0; i < jobs; i++) {
        if (draw() < 0.75)
            now += int(-mean_gap * log(draw()))
        split(models[1 + int(draw() * 5)], model, " ")
        printf "j%d,%d,%d,%s,%d,%s,%d,%d,%d\n", i, now, spread(20, 4000), model[1],
               now + spread(10, 1200), model[2], draw() < 0.2, gpus(model[1]),
               duration()
    }
}
