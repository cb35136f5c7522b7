#!/usr/bin/env bash
# Build the C library without a warning for systems other than this one, and its tests for Windows, with zig (from PyPI:
# ziglang). With Wine (wine64), run these tests.
#   csrc/cross.sh [TARGET…]      TARGET: as zig names it; by default all of them
set -euo pipefail
cd "$(dirname "$0")"

build=${BUILD:-build}/cross
python=${PYTHON:-python3}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(x86_64-windows-gnu aarch64-windows-gnu x86_64-macos aarch64-macos aarch64-linux-musl)
flags=(-std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Iinclude -Isrc)

if ! zig=$("$python" -c 'import ziglang; print(ziglang.__path__[0])' 2> /dev/null)/zig; then
    echo "SKIPPED: no zig (pip install ziglang)"
    exit
fi

# Debian's package does not put Wine on the PATH. Wine's folder has a link to /, which tools that walk the sources follow.
wine=$(PATH=$PATH:/usr/lib/wine command -v wine64 || true)
WINEPREFIX=$(mktemp -d)
export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
trap 'rm -rf "$WINEPREFIX"' EXIT

run_tests() {
    local test program status
    for test in tests/test_*.c; do
        program=$build/$1/$(basename "$test" .c)
        "$zig" cc -target "$1" "${flags[@]}" "$test" "$build/$1/libparquetext.a" -pthread -o "$program.exe"
        [ "$1" = x86_64-windows-gnu ] && [ -n "$wine" ] || continue
        status=0
        "$wine" "$program.exe" < /dev/null > "$program.log" 2>&1 || status=$?
        case $status in
        0) echo "$1 $(basename "$test"): $(grep -c '^ok ' "$program.log") passed under Wine" ;;
        77) echo "SKIPPED: $test cannot run on this CPU" ;;
        *)
            cat "$program.log"
            echo "$1 $(basename "$test") failed under Wine: $status"
            exit 1
            ;;
        esac
    done
}

for target in "${targets[@]}"; do
    make -s -j2 BUILD="$build/$target" CC="$zig cc -target $target" AR="$zig ar" \
        CFLAGS="-O1 -Werror" "$build/$target/libparquetext.a"
    echo "$target: the library was built"
    case $target in *-windows-*) run_tests "$target" ;; esac
done
