#!/usr/bin/env bash
# Compare the shared library's functions and types with the stored reference of its ABI version. Any difference but an
# added function is an error: raise PQX_ABI_VERSION in include/parquetext.h and store a new reference.
#   csrc/abi.sh [--store]
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v abidiff > /dev/null; then
    echo "SKIPPED: no abidiff, the ABI was not compared"
    exit 0
fi
build=${BUILD:-build}/abi
version=$(sed -n 's/^#define PQX_ABI_VERSION //p' include/parquetext.h)
reference=abi/libparquetext.$version.abi
make -s -j2 CC=gcc BUILD="$build" CFLAGS="-g -O0" "$build/libparquetext.so"
if [ "${1:-}" = --store ]; then
    mkdir -p abi
    rm -f abi/libparquetext.*.abi
    abidw --header-file include/parquetext.h --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
        --no-architecture "$build/libparquetext.so" > "$reference"
elif [ ! -e "$reference" ]; then
    echo "there is no $reference: store it with csrc/abi.sh --store"
    exit 1
else
    abidiff --header-file2 include/parquetext.h --drop-private-types --exported-interfaces-only --no-added-syms \
        --no-architecture "$reference" "$build/libparquetext.so"
    echo "ABI $version: no incompatible change"
fi
