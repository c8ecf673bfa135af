# install_test.sh - an installation works from anywhere, wherever it is moved to, and removing what
# install_manifest.txt lists leaves nothing of it.
source "$(dirname "$0")/cli.sh"

if ! command -v cmake >/dev/null; then
    echo "cmake is not installed"
    exit 77
fi
build=${RUBATO_BUILD:?is set by ctest}
prefix=$work/prefix
manifest=$build/install_manifest.txt

# The manifest of the user's own installation stays as it is.
if [ -e "$manifest" ]; then
    cp -p "$manifest" "$work/manifest"
    trap 'cp -p "$work/manifest" "$manifest"; rm -rf "$work"' EXIT
else
    trap 'rm -f "$manifest"; rm -rf "$work"' EXIT
fi
installs() { passes cmake --install "$build" --prefix "$prefix"; }

installs
files=$(cd "$prefix" && find . ! -type d | sed 's|^\./||' | sort)
expected=$(
    printf 'bin/%s\n' rubato rubato-more scheduler scheduler-live master worker trainer
    printf 'lib/rubato/%s.so\n' milp_cbc remote_link
    echo lib/rubato/milp_serve
    printf 'lib/systemd/system/rubato-%s.service\n' scheduler master worker
    echo lib/sysusers.d/rubato.conf
    cd "$project"
    printf 'share/rubato/%s\n' {cluster_specs,throughputs,traces}/{*.csv,README.md}
    printf 'share/doc/rubato/%s\n' README.md LICENSE CONTRIBUTING.md SECURITY.md $(ls docs/*.{md,svg} docs/figures/* | grep -v reliability) {cluster_specs,throughputs,traces}
    find examples packaging ! -type d ! -path '*/__pycache__/*' | sed 's|^|share/doc/rubato/|'
    printf 'share/bash-completion/completions/%s\n' rubato scheduler master worker trainer
    cd "$build/man"
    printf 'share/man/man1/%s\n' *.1
    printf 'share/man/man5/%s\n' *.5
    printf 'share/man/man7/%s\n' *.7
)
same "what is installed" "$files" "$(sort <<<"$expected")"
! grep -rlF -e "$build" -e "$project" "$prefix/share" || fail "the files above name the build"

# What the documents link to is there.
cd "$prefix/share/doc/rubato"
links=0
while IFS=: read -r page link; do
    [ -e "$(dirname "$page")/${link%%#*}" ] || fail "$page links to $link, which is not installed"
    links=$((links + 1))
done < <(find -L . -name '*.md' -exec grep -oHP '\]\(\K(?!https?:)[^)#][^)]*' {} +)
[ $links -gt 10 ] || fail "only $links links in the documents that are installed"

# Somewhere else, with nothing but the installation.
alone=(env -i PATH=/usr/bin:/bin ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"})
away=$work/away
mkdir "$away"
cd "$away"
works_at() {
    local program=$1 share=$2

    passes "${alone[@]}" "$program" simulate "$share/traces/testbed25.csv" \
        --cluster "$share/cluster_specs/n4g8.csv" --results results --json
    same "the counts" "$(grep -E '"(accepted|declined)"' "$out" | tr -d ' ,\n')" '"accepted":22"declined":3'
    same "the tables" "$(sed -n 's/ *"throughputs": "\(.*\)",/\1/p' "$out")" \
        "$(realpath "$share")/throughputs/A100.csv"
    passes "${alone[@]}" "$program" audit results
    passes "${alone[@]}" "$program" quote "$share/traces/testbed25.csv" --model vgg16 --iterations 10 \
        --cluster "$share/cluster_specs/n4g8.csv"
}
# A contested trace: the solver is loaded and asked.
leases_at() {
    passes "${alone[@]}" "$1/bin/scheduler" --schedule=chronus --solver=cbc \
        --trace_file="$1/share/rubato/traces/testbed195.csv" \
        --cluster_spec="$1/share/rubato/cluster_specs/n4g8.csv" --log_path=leases
    same "the lease rounds that a solver chose" "$(grep -c ',optimal,' leases/leases.csv)" 27
}
works_at "$prefix/bin/rubato" "$prefix/share/rubato"
leases_at "$prefix"
ln -s "$prefix/bin/rubato" "$away/link"
works_at "$away/link" "$prefix/share/rubato"
mv "$prefix" "$work/moved"
works_at "$work/moved/bin/rubato" "$work/moved/share/rubato"
leases_at "$work/moved"
mv "$work/moved/lib" "$work/solvers"
refused "there is no solver cbc: no lib/rubato/milp_cbc.so above the program" \
    "$work/moved/bin/scheduler" --trace_file "$work/moved/share/rubato/traces/testbed25.csv" \
    --schedule=chronus
mv "$work/solvers" "$work/moved/lib"
passes "$work/moved/bin/scheduler" --trace_file "$work/moved/share/rubato/traces/testbed25.csv"
mv "$work/moved" "$prefix"

if command -v man >/dev/null; then
    for page in rubato rubato-simulate rubato-results scheduler; do
        passes man -M "$prefix/share/man" -w $page
        [[ $(cat "$out") == "$prefix/share/man/man"[15]"/$page."[15] ]] || fail "$page: $(cat "$out")"
    done
fi
for program in rubato scheduler; do
    passes bash -c 'source "$1" && complete -p "$2"' - \
        "$prefix/share/bash-completion/completions/$program" $program
done

# Installing over it changes nothing, and the manifest is all of it.
installs
same "what is installed again" "$(cd "$prefix" && find . ! -type d | sed 's|^\./||' | sort)" "$files"
xargs -d '\n' rm <"$manifest"
same "what is left" "$(find "$prefix" ! -type d)" ""
done_checking 23
