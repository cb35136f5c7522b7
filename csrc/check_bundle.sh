#!/usr/bin/env bash
# Build the bundle as C and as C++ without a warning, compare its functions with those of the library, and run the C tests
# on it.
#   csrc/check_bundle.sh COMPILER LIBRARY.so FOLDER
set -euo pipefail
cd "$(dirname "$0")"

compiler=$1 library=$2 folder=$3
cpp=${compiler/%gcc/g}++
python3 bundle.py "$folder"

names() { nm --defined-only "$@" | awk '{ print $3 }' | sort; }

# check PRIVATE COMMAND …: the linkage of private functions in the tests, and the command that compiles
check() {
    local private=$1 passed=0 command=("${@:2}" -O2 -Wall -Wextra -Werror)
    "${command[@]}" -c "$folder/parquetext.c" -o "$folder/parquetext.o"
    "${command[@]}" "-DPQX_PRIVATE=$private" -c "$folder/parquetext.c" -o "$folder/global.o"
    diff <(names -D "$library") <(names -g "$folder/parquetext.o")
    for test in tests/test_*.c; do
        ! grep -q '^#include ".*\.c"' "$test" || continue # has a source of its own
        "$compiler" -std=c11 -D_GNU_SOURCE -c "$test" -Iinclude -Isrc -o "$folder/test.o"
        "$2" -pthread "$folder/test.o" "$folder/global.o" -o "$folder/test"
        "$folder/test" > "$folder/test.log" 2>&1 || { cat "$folder/test.log"; echo "the bundle fails $test"; exit 1; }
        passed=$((passed + $(grep -c '^ok ' "$folder/test.log")))
    done
    echo "$2 bundle: $passed passed"
}

check "" "$compiler" -std=c11
if command -v "$cpp" > /dev/null; then
    check 'extern "C"' "$cpp" -std=c++11 -x c++
else
    echo "SKIPPED: no $cpp"
fi
