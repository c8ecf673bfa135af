# memory.sh - the largest resident size of a run and of a check, on traces of growing length.

# peak_of COMMAND...: in KiB.
peak_of() {
    "$programs/stopwatch" --runs 1 --warmup 0 -- "$@" 2>"$work/warnings" |
        sed -n 's/.*"peak_kib": \([0-9]*\).*/\1/p'
}

# memory_line WHAT JOBS PEAK JOBS-BEFORE PEAK-BEFORE
memory_line() {
    awk -v what="$1" -v jobs="$2" -v peak="$3" -v jobs0="$4" -v peak0="$5" 'BEGIN {
        if (peak == "") exit 1
        beyond = peak > 65536 ? (peak - 65536) / jobs : 0
        printf "{\"memory\": \"%s\", \"jobs\": %d, \"peak_kib\": %d, ", what, jobs, peak
        printf "\"kib_a_job_beyond_64_mib\": %.3f, \"kib_a_job_more\": \"%s\", \"met\": %s}\n", beyond,
               (jobs0 > 0 ? sprintf("%.3f", (peak - peak0) / (jobs - jobs0)) : "-"),
               (beyond <= 1 ? "true" : "false")
    }'
}

part_memory() {
    local jobs run check last_jobs=0 last_run=0 last_check=0

    for jobs in 1000 10000 100000 1000000; do
        generate memory "$jobs" 300 || return 1
        run=$(peak_of "$bin/scheduler" --trace_file "$work/memory.csv" --schedule edf-accessctrl \
            --throughputs throughputs)
        check=$(peak_of "$bin/rubato" trace validate --throughputs throughputs "$work/memory.csv")
        memory_line 'simulation, edf-accessctrl' "$jobs" "$run" "$last_jobs" "$last_run" || return 1
        memory_line 'rubato trace validate' "$jobs" "$check" "$last_jobs" "$last_check" || return 1
        last_jobs=$jobs last_run=$run last_check=$check
    done | show
}
