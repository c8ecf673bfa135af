# audited.sh - what the tests of whole runs share. Sourced; $bin and $scratch are set.

# audited FOLDER: nothing in it is untrue, what quirks do aside; and the exit status says whether a promise
# was broken. What the auditor says is in $scratch/out.
audited() {
    local status=0 expected=0

    "$bin/rubato" audit "$1" >"$scratch/out" 2>&1 || status=$?
    grep -q ': 0 promises broken, 0 violations, ' "$scratch/out" || expected=1
    grep -q 'broken, 0 violations, ' "$scratch/out" && [ $status -eq $expected ]
}
