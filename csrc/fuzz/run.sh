#!/usr/bin/env bash
# Fuzz the C library with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer; fails on any finding.
# What was found once, in found/TARGET, is tried first.
#   csrc/fuzz/run.sh [--long SECONDS] [TARGET...]      all targets share 120 seconds, or SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-120}
if [ "${1:-}" = --long ]; then
    seconds=$2
    shift 2
fi
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(thrift extension locate open scan slice arrow array flat lossless index packed modular sidecar plan values page page_numbers column decoder encoding alp pfor fsst delta binary encode snappy lz4 stored)

clang=${CLANG:-clang}
if ! command -v "$clang" > /dev/null; then
    echo "SKIPPED: no clang, the C library was not fuzzed"
    exit 0
fi

build=${BUILD:-build}/fuzz
findings=$build/findings
sanitizers="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
make -s -j2 CC="$clang" BUILD="$build" CFLAGS="$sanitizers -DPQX_NO_SLABS -fsanitize=fuzzer-no-link" "$build/libparquetext.a"
compile() { "$clang" -std=c11 -D_GNU_SOURCE -Wall -Wextra $sanitizers "$@" "$build/libparquetext.a" -Iinclude -Isrc; }

footers=$build/footers
rm -rf "$footers" "$build/pages" "$findings"
mkdir -p "$findings"
"${PYTHON:-python3}" fuzz/seeds.py "$footers" "$build/pages"
echo "$(ls "$footers" | wc -l) footers to start from; $seconds seconds for ${#targets[@]} targets"

export UBSAN_OPTIONS=print_stacktrace=1
# Addresses chosen at random now and then lie where the sanitizers of older compilers want their own memory.
fixed=()
! setarch -R true 2> /dev/null || fixed=(setarch -R)
failed=()
for target in "${targets[@]}"; do
    compile -fsanitize=fuzzer "fuzz/$target.c" -o "$build/$target"
    inputs=$build/inputs/$target
    mkdir -p "$inputs"
    seeds=("$footers")
    if [ "$target" = flat ] || [ "$target" = lossless ]; then
        compile fuzz/flat_seed.c -o "$build/flat_seed"
        mkdir -p "$build/flat_footers"
        find "$footers" -type f -print0 | xargs -0 -n 10000 "${fixed[@]}" "$build/flat_seed" "$build/flat_footers"
        [ "$target" = lossless ] || seeds=()
        seeds+=("$build/flat_footers")
    fi
    if [ "$target" = sidecar ] || [ "$target" = plan ]; then
        compile fuzz/sidecar_seed.c -o "$build/sidecar_seed"
        mkdir -p "$build/sidecars"
        find "$footers" -type f -print0 | xargs -0 -n 10000 "${fixed[@]}" "$build/sidecar_seed" "$build/sidecars"
        seeds=("$build/sidecars")
    fi
    [ "$target" != page ] && [ "$target" != column ] && [ "$target" != array ] || seeds=("$build/pages")
    if [ "$target" = delta ] || [ "$target" = binary ]; then
        compile fuzz/pages_seed.c -o "$build/pages_seed"
        mkdir -p "$build/encoded"
        "${fixed[@]}" "$build/pages_seed" "$build/encoded"
        seeds=("$build/encoded")
    fi
    if [ -e "fuzz/${target}_seeds.py" ]; then
        "${PYTHON:-python3}" "fuzz/${target}_seeds.py" "$build/$target-seeds"
        seeds=("$build/$target-seeds")
    fi
    [ ! -d "fuzz/found/$target" ] || seeds+=("fuzz/found/$target")
    log=$findings/$target.log
    if "${fixed[@]}" "$build/$target" -max_total_time=$((seconds / ${#targets[@]})) -max_len=16384 -timeout=20 -rss_limit_mb=1024 \
        -malloc_limit_mb=64 -artifact_prefix="$findings/$target-" "$inputs" "${seeds[@]}" > "$log" 2>&1; then
        echo "fuzz $target: $(grep -E '^Done [0-9]+ runs' "$log")"
    else
        failed+=("$target")
        grep -vE '^#[0-9]+\s+(NEW|REDUCE|pulse|RELOAD|INITED)' "$log" | tail -60
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "FINDINGS in ${failed[*]}: inputs in $findings"
    exit 1
fi
