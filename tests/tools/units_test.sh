# units_test.sh - the units of systemd name programs and options that there are, systemd takes them as they are
# installed, and finds scheduler and master well enclosed.
source "$(dirname "$0")/cli.sh"

prefix=$work/prefix
manifest=$RUBATO_BUILD/install_manifest.txt
if [ -e "$manifest" ]; then
    cp -p "$manifest" "$work/manifest"
    trap 'cp -p "$work/manifest" "$manifest"; rm -rf "$work"' EXIT
else
    trap 'rm -f "$manifest"; rm -rf "$work"' EXIT
fi
passes cmake --install "$RUBATO_BUILD" --prefix "$prefix"
units=$prefix/lib/systemd/system

# started UNIT: the words that it starts.
started() {
    sed -n 's/^ExecStart=//p' "$units/rubato-$1.service"
}

for name in scheduler master worker; do
    read -ra words <<<"$(started "$name")"
    same "the program of $name" "${words[0]}" "$prefix/bin/$name"
    [ -x "${words[0]}" ] || fail "${words[0]} is not installed"
    mode=()
    [[ " ${words[*]} " != *" --serve "* ]] || mode=(--serve)
    passes "${words[0]}" "${mode[@]}" --help
    for word in "${words[@]:1}"; do
        [[ $word == -* ]] || continue
        grep -q -e "^ .*$word\b" "$out" || fail "$name has no option $word"
        checks=$((checks + 1))
    done
    same "the last word of $name" "${words[-1]}" "\$OPTIONS"
    same "the user of $name" "$(grep -E '^(User|NoNewPrivileges)=' "$units/rubato-$name.service" | tr '\n' ' ')" \
        "User=rubato NoNewPrivileges=yes "
done
same "the user that is made" "$(cut -d' ' -f1,2 "$prefix/lib/sysusers.d/rubato.conf")" "u rubato"

if command -v systemd-analyze >/dev/null && systemd-analyze security --help | grep offline >/dev/null; then
    for name in scheduler master worker; do
        passes systemd-analyze verify --man=no "$units/rubato-$name.service"
    done
    for name in scheduler master; do # at most 3.0 of 10
        gives 0 systemd-analyze security --offline=yes --threshold=30 "$units/rubato-$name.service"
    done
fi
done_checking 20
