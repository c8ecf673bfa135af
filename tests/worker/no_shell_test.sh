#!/usr/bin/env bash
# no_shell_test.sh - no shell stands between Rubato and a user's command: nothing in the sources of the
# testbed starts one.
set -euo pipefail
cd "$(dirname "$0")/../.."

folders=(common protocol scheduler master worker executor)
suspects='\b(system|popen|wordexp|execl|execlp|execle)[[:space:]]*\(|"(/bin/|/usr/bin/)?(ba|da)?sh"|"-c"'

# shell_in FILE...: the suspicious lines.
shell_in() { grep -nE "$suspects" "$@" || true; }

# A search that finds nothing would prove nothing.
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
for line in 'system("ls");' 'in = popen (command, "r");' 'char *argv[] = {"sh", "-c", text};' '"/bin/sh"' 'execl("/x", "x", NULL);'; do
    printf '%s\n' "$line" >"$scratch"
    [ -n "$(shell_in "$scratch")" ] || { echo "not seen as a shell: $line"; exit 1; }
done

mapfile -t sources < <(find "${folders[@]}" -name '*.[ch]')
[ ${#sources[@]} -gt 50 ] || { echo "only ${#sources[@]} sources were found"; exit 1; }
found=$(shell_in "${sources[@]}")
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
echo "no shell in ${#sources[@]} sources"
