#!/usr/bin/env bash
# Compile the C output of the Cython modules, which csrc/merge.py makes one, without a warning for systems other than
# this one, with zig (from PyPI: ziglang). It uses the limited API, so that the headers of this system's Python suffice.
#   csrc/cross_modules.sh [TARGET…]      TARGET: as zig names it
set -euo pipefail
cd "$(dirname "$0")"

build=${BUILD:-build}/cross/modules
python=${PYTHON:-python3}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(x86_64-windows-gnu aarch64-macos)

if ! zig=$("$python" -c 'import Cython, ziglang; print(ziglang.__path__[0])' 2> /dev/null)/zig; then
    echo "SKIPPED: no zig or no Cython (pip install ziglang cython)"
    exit
fi

"$python" merge.py "$build/parquetext/_native"
core=$build/parquetext/_native/core.c
"$python" -m cython --module-name parquetext._native.core -I "$build" -I .. -X language_level=3 \
    -X show_performance_hints=False -X binding=False -X auto_pickle=False -o "$core" "${core%.c}.pyx"

"$python" cross/python_headers.py "$build/python"
flags=(-O1 -Wall -Wextra -Werror -DPy_LIMITED_API=0x030B0000 "-I$build/python" -Iinclude -Isrc)
for target in "${targets[@]}"; do
    "$zig" cc -target "$target" "${flags[@]}" -c "$core" -o "$build/$target.o"
    echo "$target: the modules were compiled"
done
