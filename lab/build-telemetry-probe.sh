#!/usr/bin/env bash
# Builds lab/telemetry-probe, a small program on the parsers of Prometheus and of the OpenTelemetry collector, for the tests
# that hold what the controller writes against them.
# It goes into a cache outside the repository; a second run of the same source finds it there and does nothing.
# Needs: go. Usage: lab/build-telemetry-probe.sh
set -euo pipefail

source="$(cd "$(dirname "$0")" && pwd)/telemetry-probe"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/telemetry-probe"
stamp="$target.version"
version="$(cat "$source"/*.go "$source/go.mod" "$source/go.sum" | sha256sum | cut -d' ' -f1)"

if [[ -x "$target" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$target"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-telemetry-probe: go is not installed" >&2
  exit 1
}

mkdir -p "$cache"
cd "$source"
CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false -p=1" nice go build -trimpath -ldflags "-s -w" -o "$target.new" .
mv "$target.new" "$target"
echo "$version" >"$stamp"
echo "$target"
