#!/usr/bin/env bash
# Builds a probe: a small program on libraries of others, for the tests that hold us against them. Their sources are in lab/NAME:
#   go-proxmox-probe   the go-proxmox library, against the Proxmox client
#   telemetry-probe    the parsers of Prometheus and of the OpenTelemetry collector, against what the controller writes
#   health-probe       how Flux and Argo CD judge the health of an object, against the controller's status
# It goes into a cache outside the repository; a second run of the same source finds it there and does nothing.
# Needs: go. Usage: lab/build-probe.sh NAME
set -euo pipefail

name="${1:-}"
source="$(cd "$(dirname "$0")" && pwd)/$name"
[[ "$name" == *-probe && -f "$source/go.mod" ]] || {
  echo "build-probe: say which: $(cd "$(dirname "$0")" && echo *-probe)" >&2
  exit 2
}
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/$name"
stamp="$target.version"
version="$(cat "$source"/*.go "$source/go.mod" "$source/go.sum" | sha256sum | cut -d' ' -f1)"

if [[ -x "$target" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$target"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-probe: go is not installed" >&2
  exit 1
}

mkdir -p "$cache"
cd "$source"
CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false -p=1" nice go build -trimpath -ldflags "-s -w" -o "$target.new" .
mv "$target.new" "$target"
echo "$version" >"$stamp"
echo "$target"
