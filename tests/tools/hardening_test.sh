# hardening_test.sh - what cmake/Hardening.cmake asks for is in the programs that were built.
set -euo pipefail

grep -q '^CMAKE_BUILD_TYPE:.*=Release$' "$RUBATO_BUILD/CMakeCache.txt" || exit 77
! grep -q '^RUBATO_SANITIZE:.*=ON$' "$RUBATO_BUILD/CMakeCache.txt" || exit 77
command -v readelf >/dev/null || exit 77

checks=0

# has FILE WHAT PATTERN READELF_OPTION...
has() {
    local file=$1 what=$2 pattern=$3

    shift 3
    readelf --wide "$@" "$file" 2>/dev/null | grep -E -- "$pattern" >/dev/null || {
        echo "FAILED: $file: no $what" >&2
        exit 1
    }
    checks=$((checks + 1))
}

for program in rubato rubato-more scheduler scheduler-live master worker trainer; do
    file=$RUBATO_BIN/$program
    has "$file" "position-independent program" 'FLAGS_1.* PIE' --dynamic
    has "$file" "checked stack" '__stack_chk_fail' --dyn-syms
    has "$file" "checked call of libc" '__[a-z]+_chk\b' --dyn-syms
done
for file in "$RUBATO_BIN"/{rubato,rubato-more,scheduler,scheduler-live,master,worker,trainer} "$RUBATO_BUILD"/lib/rubato/{*.so,milp_serve}; do
    has "$file" "read-only table of addresses" 'GNU_RELRO' --program-headers
    has "$file" "binding at the start" 'FLAGS_1.*\bNOW\b' --dynamic
    has "$file" "stack without code" 'GNU_STACK +0x0+ 0x0+ 0x0+ 0x0+ 0x0+ RW +0x' --program-headers
done
[ $checks -ge 39 ] || {
    echo "FAILED: $checks checks, expected 39" >&2
    exit 1
}
