#!/usr/bin/env bash
# Unpack an arm64 Python 3.11 of Debian into a folder, for qemu-aarch64-static -L FOLDER; changes nothing on the system.
#   wheels/arm64-root.sh FOLDER        needs apt with Debian 12's sources; about 80 MB
set -euo pipefail
root=$(realpath -m "$1")
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$root" "$state"/{lists,cache,packages}
chmod -R a+rwX "$state"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$state/lists"
    -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache")
packages=(python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libc6 libgcc-s1 zlib1g libexpat1 libssl3
    libcrypt1 libffi8 libbz2-1.0 liblzma5 libuuid1 libstdc++6)
apt-get "${options[@]}" update
(cd "$state/packages" && apt-get "${options[@]}" download "${packages[@]}")
for package in "$state"/packages/*.deb; do dpkg-deb -x "$package" "$root"; done
