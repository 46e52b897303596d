#!/usr/bin/env bash
# Packs the smallest Debian there is, with nothing in it but what Slipway names as needed: the C and C++ libraries. A
# stranger's container, so to speak: test/real/bare-root.test.ts installs Slipway there and runs it. Needs root and apt.
# usage: lab/build-bare-root.sh
set -euo pipefail

cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
root="$cache/bare-root.tar"
if [[ -s "$root" ]]; then
  echo "a bare Debian is here: $root"
  exit 0
fi
command -v mmdebstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends mmdebstrap; }
mkdir -p "$cache"
draft="$(mktemp --suffix=.tar -p "$cache")"
trap 'rm -f "$draft"' EXIT
suite="$(. /etc/os-release && echo "$VERSION_CODENAME")"
mmdebstrap --quiet --variant=essential --include=libstdc++6 "$suite" "$draft"
mv "$draft" "$root"
echo "a bare Debian of $(du -m "$root" | cut -f1) MiB: $root"
