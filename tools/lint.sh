#!/usr/bin/env bash
# Layout, defects, spelling of shell, and comments: clang-format, clang-tidy, bash -n, lint_comments.py.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.c' '*.h')
clang-format --dry-run -Werror "${sources[@]}"

cmake --preset clang -DBUILD_TESTING=ON >/dev/null
mapfile -t units < <(printf '%s\n' "${sources[@]}" | grep '\.c$' | grep -v '^tests/fuzz/')
printf '%s\0' "${units[@]}" |
    xargs -0 -n 8 -P "$(nproc)" clang-tidy --quiet -p build/clang 2>/dev/null

mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.sh' .ci/run)
for script in "${scripts[@]}"; do
    bash -n "$script"
done
tools/lint_comments.py
echo "lint: ${#sources[@]} sources and ${#scripts[@]} scripts are clean"
