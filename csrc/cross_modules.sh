#!/usr/bin/env bash
# Compile the C output of each Cython module without a warning for systems other than this one, with zig (from PyPI:
# ziglang). The modules use the limited API, so that the headers of this system's Python suffice.
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

mkdir -p "$build"
shared=parquetext._native._cyutility
"$python" -m cython --generate-shared "$build/_cyutility.c" --module-name "$shared"
"$python" -m cython --timestamps -3 --shared "$shared" -X embedsignature=True -X show_performance_hints=False \
    -o "$build" ../parquetext/_native/*.pyx

"$python" cross/python_headers.py "$build/python"
flags=(-O1 -Wall -Wextra -Werror -DPy_LIMITED_API=0x030B0000 "-I$build/python" -Iinclude -Isrc)
compile() {
    "$zig" cc -target "$1" "${flags[@]}" -c "$2" -o "$build/$1/$(basename "$2" .c).o"
}
for target in "${targets[@]}"; do
    mkdir -p "$build/$target"
    sources=("$build"/*.c)
    for ((i = 0; i < ${#sources[@]}; i += 2)); do
        compile "$target" "${sources[i]}" &
        [ $((i + 1)) = ${#sources[@]} ] || compile "$target" "${sources[i + 1]}"
        wait $!
    done
    echo "$target: ${#sources[@]} modules were compiled"
done
