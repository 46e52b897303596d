#!/usr/bin/env bash
# Builds the real talosctl with the Go toolchain, for the tests that compare us with it.
# The programs go into a cache outside the repository; a second run finds them there and does nothing.
# Without a version it builds "talosctl"; with one it builds "talosctl-VERSION" beside it, for example an older one
# (v1.12.6) and one that writes the documents of contract 1.14 (v1.14.1).
# Needs: go (the toolchain version named in Talos' go.mod or newer). Usage: lab/build-talosctl.sh [VERSION]
set -euo pipefail

version="${1:-v1.13.9}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/talosctl${1:+-$version}"
stamp="$target.version"

if [[ -x "$target" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$target"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-talosctl: go is not installed" >&2
  exit 1
}

scratch="$(mktemp -d)"
# Files from the module cache are read-only; rm needs to write their folders.
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
"$(dirname "$0")/prepare-talos-source.sh" "$version" "$scratch"
cd "$scratch"

mkdir -p "$cache"
# Flags and tags as of machined (build-real-talos.sh): what the two share is compiled once.
CGO_ENABLED=0 GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -tags tcell_minimal,grpcnotrace \
  -ldflags "-s -w" -o "$target.new" ./cmd/talosctl
mv "$target.new" "$target"
echo "$version" >"$stamp"
echo "$target"
