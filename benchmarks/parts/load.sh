# load.sh - how fast a trace of a million jobs is read.
part_load() {
    generate load 1000000 300 || return 1
    {
        "$programs/load_trace" "$work/load.csv" &&
            "$programs/load_trace" --throughputs throughputs "$work/load.csv"
    } | show
}
