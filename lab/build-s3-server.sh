#!/usr/bin/env bash
# Builds a real S3 server (Versity S3 Gateway, which keeps buckets as folders) with the Go toolchain, for the tests that write
# backups to one. The program goes into a cache outside the repository; a second run finds it there and does nothing.
# Needs: go. Usage: lab/build-s3-server.sh [VERSION]
set -euo pipefail

version="${1:-v1.8.0}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
program="$cache/versitygw"
stamp="$cache/versitygw.version"

if [[ -x "$program" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$program"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-s3-server: go is not installed" >&2
  exit 1
}

mkdir -p "$cache"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
GOBIN="$scratch" CGO_ENABLED=0 nice -n 15 go install -trimpath "github.com/versity/versitygw/cmd/versitygw@$version"
mv "$scratch/versitygw" "$program"
echo "$version" >"$stamp"
echo "$program"
