#!/bin/bash
# Inputs that are too large, too odd or too forbidden to be kept as files are refused as well.
. tests/bad_input/refusal.sh

header=job_id,submit_time,iteration,model_name,ddl,batch_size
job=a,0,1000,vgg16,5000,128
odd=$scratch/odd

usual=(--trace_file="$here/traces/usual.csv" --cluster_spec="$here/cluster_specs/usual.csv"
    --throughputs="$here/throughputs" --gpu_type=usual)

run_trace() {
    run "${usual[@]}" --trace_file="$1"
}

# repeat COUNT TEXT
repeat() {
    yes "$2" | head -n "$1" | tr -d '\n'
}

a_line_of_ten_megabytes() {
    { printf '%s\n' "$header"; repeat 10485760 x; } >"$odd.csv"
    run_trace "$odd.csv"
    expect_refusal "$FUNCNAME" "$odd.csv:2: the line is longer than 65536 bytes"
}

a_header_of_ten_megabytes() {
    repeat 10485760 x >"$odd.csv"
    run_trace "$odd.csv"
    expect_refusal "$FUNCNAME" "$odd.csv:1: the line is longer than 65536 bytes"
}

a_million_columns() {
    { printf '%s' "$header"; repeat 1000000 ,; printf '\n%s\n' "$job"; } >"$odd.csv"
    run_trace "$odd.csv"
    expect_refusal "$FUNCNAME" "$odd.csv:1: the line is longer than 65536 bytes"
}

a_thousand_columns() {
    { printf '%s\n%s' "$header" "$job"; repeat 1000 ,; echo; } >"$odd.csv"
    run_trace "$odd.csv"
    expect_refusal "$FUNCNAME" "$odd.csv:2: expected at most 256 columns, found more"
}

a_quoted_field_of_many_long_lines() {
    { printf '%s,more\n%s,"' "$header" "$job"
        for line in 1 2 3; do repeat 60000 x; echo; done; printf '"\n'; } >"$odd.csv"
    run_trace "$odd.csv"
    expect_refusal "$FUNCNAME" "$odd.csv:2: the row is longer than 131072 bytes"
}

an_opened_quote_and_blank_lines_for_ever() {
    { printf '%s\n"' "$header"; yes '' | head -n 1000000; } >"$odd.csv"
    run_trace "$odd.csv"
    expect_refusal "$FUNCNAME" \
        "$odd.csv:2: column 1 (job_id): a quoted field goes on for too many lines"
}

a_million_blank_lines_are_fine() {
    { printf '%s\n' "$header"; yes '' | head -n 1000000; printf '%s\n' "$job"; } >"$odd.csv"
    run_trace "$odd.csv"
    expect_success "$FUNCNAME"
}

# bomb PROGRAM: 300 MB of blank lines after a header, in some hundred kilobytes.
bomb() {
    command -v "$1" >/dev/null || return 0
    { printf '%s\n' "$header"; yes '' | head -n 300000000; } | "$1" -c >"$odd.packed"
    run_trace "$odd.packed"
    expect_refusal "${FUNCNAME[1]} ($1)" \
        "$odd.packed: refused, it decompresses to more than 200 times its size"
}

a_decompression_bomb() {
    bomb gzip
    bomb zstd
}

a_bomb_in_a_settings_file() {
    head -c 50000000 /dev/zero | tr '\0' '\n' | gzip >"$odd.conf"
    run "${usual[@]}" --config="$odd.conf"
    expect_refusal "$FUNCNAME" "$odd.conf: expected at most 1048576 bytes, found more"
}

a_compressed_trace_is_read() {
    gzip <"$here/traces/usual.csv" >"$odd.packed"
    run_trace "$odd.packed"
    expect_success "$FUNCNAME"
}

a_compressed_trace_cut_short() {
    gzip <"$here/traces/usual.csv" | head -c 40 >"$odd.packed"
    run_trace "$odd.packed"
    expect_refusal "$FUNCNAME" "$odd.packed: cannot decompress: truncated gzip input"
}

a_compressed_trace_of_nothing() {
    gzip </dev/null >"$odd.packed"
    run_trace "$odd.packed"
    expect_refusal "$FUNCNAME" "$odd.packed:1: the file is empty, expected a header"
}

# libarchive would run a program of that name on it.
a_compressed_file_that_wants_a_program_run() {
    mkdir "$scratch/path"
    printf '#!/bin/sh\ntouch "%s"\n' "$scratch/was_run" >"$scratch/path/lrzip"
    cp "$scratch/path/lrzip" "$scratch/path/grzip"
    chmod +x "$scratch/path"/*
    { printf 'LRZI\0\6'; head -c 100 /dev/zero; } | gzip >"$odd.packed"
    PATH=$scratch/path:$PATH run_trace "$odd.packed"
    expect_refusal "$FUNCNAME" \
        "$odd.packed:1: column 1: expected text, found a NUL byte"
    [ ! -e "$scratch/was_run" ] || fail "$FUNCNAME" "a program was run"
}

a_file_that_does_not_exist() {
    for flag in trace_file cluster_spec config; do
        run "${usual[@]}" --$flag="$scratch/nowhere"
        expect_refusal "$FUNCNAME" "$scratch/nowhere: cannot be read: No such file or directory"
    done
    run "${usual[@]}" --throughputs="$scratch/nowhere"
    expect_refusal "$FUNCNAME" "$scratch/nowhere: no such folder of throughput tables"
    run "${usual[@]}" --gpu_type=nothing
    expect_refusal "$FUNCNAME" \
        "$here/throughputs: no throughput table for GPU type nothing (nothing.csv)"
}

a_folder_instead_of_a_file() {
    mkdir "$scratch/folder"
    for flag in trace_file cluster_spec config; do
        run "${usual[@]}" --$flag="$scratch/folder"
        expect_refusal "$FUNCNAME" "$scratch/folder: is a folder, expected a file"
    done
}

a_loop_of_links() {
    ln -s loop "$scratch/loop"
    run_trace "$scratch/loop"
    expect_refusal "$FUNCNAME" "$scratch/loop: cannot be read: Too many levels of symbolic links"
}

a_path_with_an_escape_sequence() {
    run_trace "$scratch/"$'\e[31mred'
    expect_refusal "$FUNCNAME" "$scratch/?[31mred: cannot be read: No such file or directory"
}

a_path_that_is_not_utf8() {
    cp "$here/traces/usual.csv" "$scratch/"$'caf\xe9.csv'
    run_trace "$scratch/"$'caf\xe9.csv'
    expect_refusal "$FUNCNAME" \
        "$scratch/caf?.csv: expected a path in UTF-8, as summary.json has to name it"
}

a_device_that_never_ends() {
    run_trace /dev/zero
    expect_refusal "$FUNCNAME" "/dev/zero:1: the line is longer than 65536 bytes"
}

a_settings_file_that_any_user_may_write() {
    cp "$here/config/usual.conf" "$odd.conf"
    chmod o+w "$odd.conf"
    run "${usual[@]}" --config="$odd.conf"
    expect_refusal "$FUNCNAME" \
        "$odd.conf: any user may write to it, so it cannot be trusted: chmod o-w"
    chmod o-w "$odd.conf"
    run "${usual[@]}" --config="$odd.conf"
    expect_success "$FUNCNAME"
}

a_settings_file_that_is_huge() {
    yes '# nothing' | head -c 1048577 >"$odd.conf"
    run "${usual[@]}" --config="$odd.conf"
    expect_refusal "$FUNCNAME" "$odd.conf: expected at most 1048576 bytes, found more"
}

# The superuser may read everything.
a_file_that_must_not_be_read() {
    [ "$(id -u)" -ne 0 ] || return 0
    for flag in trace_file cluster_spec config; do
        cp "$here/traces/usual.csv" "$odd.secret"
        chmod 0 "$odd.secret"
        run "${usual[@]}" --$flag="$odd.secret"
        expect_refusal "$FUNCNAME" "$odd.secret: cannot be read: Permission denied"
        rm -f "$odd.secret"
    done
}

# What the file says about a setting counts unless the command line says otherwise.
the_command_line_wins_over_a_settings_file() {
    printf 'scheduling_slot = 120\n' >"$odd.conf"
    run "${usual[@]}" --config="$odd.conf"
    expect_success "$FUNCNAME"
    grep -q '"slot_s": 120,' "$scratch/results/summary.json" || fail "$FUNCNAME" "slot is not 120"
    run "${usual[@]}" --config="$odd.conf" --scheduling_slot=30
    grep -q '"slot_s": 30,' "$scratch/results/summary.json" || fail "$FUNCNAME" "slot is not 30"
}

a_result_folder_that_was_there_stays_as_it_is() {
    mkdir "$scratch/kept"
    echo mine >"$scratch/kept/jobs.csv"
    run "${usual[@]}" --log_path="$scratch/kept" --trace_file="$here/traces/empty.csv"
    [ "$status" -eq 2 ] || fail "$FUNCNAME" "exit status $status instead of 2"
    [ "$(ls "$scratch/kept")/$(cat "$scratch/kept/jobs.csv")" = jobs.csv/mine ] ||
        fail "$FUNCNAME" "the folder was changed"
}

for test in $(declare -F | cut -d' ' -f3 | grep -E '^(a|an|the)_'); do
    "$test"
done
finish 32
