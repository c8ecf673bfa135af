# arrivals.sh - how long a job that arrives waits for its verdict under rubato, on 2,048 GPUs with about 1,000 live jobs:
# in rounds that are a slot apart, and in rounds of their own.
part_arrivals() {
    local slot

    generate arrivals 2500 8 --duration 3600:36000 --tightness 1:3 || return 1
    for slot in 60 0; do
        "$programs/arrival_time" --slot "$slot" --throughputs throughputs "$work/arrivals.csv" || return 1
    done | show
}
