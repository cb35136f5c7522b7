#!/usr/bin/env bash
# Build the bundle without a warning, compare its functions with those of the library, and run the C tests on it.
#   csrc/check_bundle.sh COMPILER LIBRARY.so FOLDER
set -euo pipefail
cd "$(dirname "$0")"

compiler=$1 library=$2 folder=$3
python3 bundle.py "$folder"
compile=("$compiler" -std=c11 -O2 -Wall -Wextra -Werror)
"${compile[@]}" -c "$folder/parquetext.c" -o "$folder/parquetext.o"
"${compile[@]}" -DPQX_PRIVATE= -c "$folder/parquetext.c" -o "$folder/global.o"

names() { nm --defined-only "$@" | awk '{ print $3 }' | sort; }
diff <(names -D "$library") <(names -g "$folder/parquetext.o")

passed=0
for test in tests/test_*.c; do
    ! grep -q '^#include ".*\.c"' "$test" || continue # has a source of its own
    "$compiler" -std=c11 -D_GNU_SOURCE -pthread "$test" "$folder/global.o" -Iinclude -Isrc -o "$folder/test"
    "$folder/test" > "$folder/test.log" 2>&1 || { cat "$folder/test.log"; echo "the bundle fails $test"; exit 1; }
    passed=$((passed + $(grep -c '^ok ' "$folder/test.log")))
done
echo "$compiler bundle: $passed passed"
