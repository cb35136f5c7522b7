#!/usr/bin/env bash
# Build the C library and its bundle without a warning, run the tests with each installed compiler, those of the library
# under sanitizers, compare the ABI with its reference, and fuzz.
#   csrc/check.sh [--no-fuzz | --long SECONDS]
set -euo pipefail
cd "$(dirname "$0")"

build=${BUILD:-build}
sanitizers="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
# Addresses chosen at random now and then lie where the sanitizers of older compilers want their own memory.
fixed=()
! setarch -R true 2> /dev/null || fixed=(setarch -R)
checked=0
for compiler in gcc clang; do
    if ! command -v "$compiler" > /dev/null; then
        echo "SKIPPED: no $compiler"
        continue
    fi
    make -s -j2 CC="$compiler" BUILD="$build/$compiler" CFLAGS="-O3 -Werror"
    make -s -j2 CC="$compiler" BUILD="$build/$compiler-sanitized" CFLAGS="$sanitizers -Werror" "$build/$compiler-sanitized/libparquetext.a"
    for test in tests/test_*.c; do
        program=$build/$compiler-sanitized/$(basename "$test" .c)
        library=$build/$compiler-sanitized/libparquetext.a
        "$compiler" -std=c11 -D_GNU_SOURCE -pthread -Wall -Wextra -Werror $sanitizers "$test" "$library" -Iinclude -Isrc -o "$program"
        status=0
        "${fixed[@]}" "$program" > "$program.log" 2>&1 || status=$?
        case $status in
        0) echo "$compiler $(basename "$test"): $(grep -c '^ok ' "$program.log") passed" ;;
        77) echo "SKIPPED: $test cannot run on this CPU" ;;
        *)
            cat "$program.log"
            exit 1
            ;;
        esac
    done
    ./check_bundle.sh "$compiler" "$build/$compiler/libparquetext.so" "$build/$compiler/bundle"
    checked=1
done
[ $checked = 1 ] || { echo "no C compiler: nothing was checked"; exit 1; }

./abi.sh

[ "${1:-}" = --no-fuzz ] || fuzz/run.sh "$@"
