# cells.sh - the ten cells whose times are promised, each as a whole process. The reference's seconds
# are those of the published ElasticFlow artifact, alone on a machine of the same kind.
#
# trace cluster slot GPU-type policy reference-seconds target-ms
cells='195job n16g8 240 A100 ef-accessctrl 5.6 5.6
elasticVpollux_e n16g4 60 T4 ef 12.6 12.6
philly_103959 n32g8 60 A100 ef-accessctrl 6.9 6.9
philly_103959 n32g8 60 A100 ef 36 36
cluster01 n64g8 60 A100 ef-accessctrl >900 500
cluster04 n128g8 60 A100 ef-accessctrl 0 6000
elasticVpollux_e n16g4 60 T4 gandiva 3.4 6.8
195job n16g8 240 A100 gandiva 0.46 0.92
philly_103959 n32g8 60 A100 dlas-gpu 1.5 3
cluster01 n64g8 60 A100 dlas-gpu 2.6 5.2'


# time_cell NAME ARGUMENTS...: the cell that the variables of part_cells describe.
time_cell() {
    local name=$1 bound=False

    shift
    [ "${reference#>}" = "$reference" ] || bound=True
    "$programs/stopwatch" --name "$name" --reference "${reference#>}" --reference-is-bound "$bound" \
        --target "$target" -- "$bin/scheduler" --trace_file "$traces/$trace.csv" \
        --cluster_spec "cluster_specs/$cluster.csv" --scheduling_slot "$slot" --gpu_type "$gpu" \
        --schedule "$policy" --throughputs throughputs "$@"
}

part_cells() {
    local trace cluster slot gpu policy reference target

    needs_traces cells || return 0
    while read -r trace cluster slot gpu policy reference target; do
        time_cell "$trace/$policy" || return 1
        time_cell "$trace/$policy, results written" --log_path "$work/results" || return 1
    done <<<"$cells" | show
}
