#!/usr/bin/env bash
# Builds the real d2 with the Go toolchain, for the tests that let it read the diagrams we write. The program goes into a
# cache outside the repository; a second run finds it there and does nothing.
# Needs: go. Usage: lab/build-d2.sh [VERSION]
set -euo pipefail

version="${1:-v0.7.1}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
program="$cache/d2"
stamp="$cache/d2.version"

if [[ -x "$program" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$program"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-d2: go is not installed" >&2
  exit 1
}

mkdir -p "$cache"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
# As a dependency of a module of its own: "go install" would also ask which other versions there are, which not every
# proxy tells.
cat >"$scratch/go.mod" <<EOF
module build

go 1.23

require oss.terrastruct.com/d2 $version
EOF
(cd "$scratch" && CGO_ENABLED=0 go build -mod=mod -trimpath -o d2 oss.terrastruct.com/d2)
mv "$scratch/d2" "$program"
echo "$version" >"$stamp"
echo "$program"
