#!/usr/bin/env bash
# Build the C library without a warning for systems other than this one, with zig (from PyPI: ziglang): from its sources
# or, which is faster, from its bundle, also as C++. Build its tests for Windows, and run them with Wine (wine64) if it is
# installed.
#   csrc/cross.sh
set -euo pipefail
cd "$(dirname "$0")"

build=${BUILD:-build}/cross
python=${PYTHON:-python3}
from_sources=(x86_64-windows-gnu aarch64-macos)
from_bundle=(aarch64-windows-gnu x86_64-macos aarch64-linux-musl)
tested=x86_64-windows-gnu
flags=(-std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror)

if ! zig=$("$python" -c 'import ziglang; print(ziglang.__path__[0])' 2> /dev/null)/zig; then
    echo "SKIPPED: no zig (pip install ziglang)"
    exit
fi

# Debian's package does not put Wine on the PATH. Wine's folder has a link to /, which tools that walk the sources follow.
wine=$(PATH=$PATH:/usr/lib/wine command -v wine64) || echo "SKIPPED: no Wine, so that the tests for Windows do not run"
WINEPREFIX=$(mktemp -d)
export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
trap '[ -z "$wine" ] || "${wine%/*}/wineserver64" --kill || true; rm -rf "$WINEPREFIX"' EXIT

run() {
    local status=0
    "$wine" "$1.exe" < /dev/null > "$1.log" 2>&1 || status=$?
    case $status in
    0) echo "$tested $(basename "$1"): $(grep -c '^ok ' "$1.log") passed under Wine" ;;
    77) echo "SKIPPED: $(basename "$1") cannot run on this CPU" ;;
    *)
        cat "$1.log"
        echo "$tested $(basename "$1") failed under Wine: $status"
        exit 1
        ;;
    esac
}

for target in "${from_sources[@]}"; do
    make -s -j2 BUILD="$build/$target" CC="$zig cc -target $target" AR="$zig ar" CFLAGS="-O1 -Werror" \
        "$build/$target/libparquetext.a"
    echo "$target: the library was built"
done

"$python" bundle.py "$build"
for target in "${from_bundle[@]}"; do
    "$zig" cc -target "$target" "${flags[@]}" -shared "$build/parquetext.c" -o "$build/$target.library"
    "$zig" c++ -target "$target" -std=c++11 "${flags[@]:1}" -x c++ -c "$build/parquetext.c" -o "$build/$target.o"
    echo "$target: the bundle was built as C, and is C++"
done

for test in tests/test_*.c; do
    program=$build/$tested/$(basename "$test" .c)
    "$zig" cc -target "$tested" "${flags[@]}" -Iinclude -Isrc "$test" "$build/$tested/libparquetext.a" -pthread -o "$program.exe"
    [ -z "$wine" ] || run "$program"
done
