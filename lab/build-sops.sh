#!/usr/bin/env bash
# Builds the real sops with the Go toolchain, for the tests that let it read and edit what we write and the other way
# round. The program goes into a cache outside the repository; a second run finds it there and does nothing.
# Needs: go. Usage: lab/build-sops.sh [VERSION]
set -euo pipefail

version="${1:-v3.11.0}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
program="$cache/sops"
stamp="$cache/sops.version"

if [[ -x "$program" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$program"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-sops: go is not installed" >&2
  exit 1
}

mkdir -p "$cache"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
GOBIN="$scratch" CGO_ENABLED=0 go install -trimpath "github.com/getsops/sops/v3/cmd/sops@$version"
mv "$scratch/sops" "$program"
echo "$version" >"$stamp"
echo "$program"
