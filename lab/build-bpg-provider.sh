#!/usr/bin/env bash
# Builds the real bpg Terraform provider with the Go toolchain, for the tests and benchmarks that compare us with it.
# It goes into a folder of the cache outside the repository, under the name Terraform's dev_overrides looks for;
# a second run finds it there and does nothing.
# Needs: go. Usage: lab/build-bpg-provider.sh [VERSION]
set -euo pipefail

version="${1:-v0.106.0}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/terraform-providers/terraform-provider-proxmox"
stamp="$target.version"

if [[ -x "$target" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$target"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-bpg-provider: go is not installed" >&2
  exit 1
}

scratch="$(mktemp -d)"
# Files from the module cache are read-only; rm needs to write their folders.
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT

# "go install module@version" also asks for the list of all versions, which not every module mirror has; and it refuses
# versions with replace lines. As a main module of its own it builds with exactly the pins it was released with.
module="$(cd "$scratch" && go mod download -json "github.com/bpg/terraform-provider-proxmox@$version")"
cp -R "$(sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p' <<<"$module")" "$scratch/provider"
chmod -R u+w "$scratch/provider"
cd "$scratch/provider"

mkdir -p "$(dirname "$target")"
# One package at a time: the SDKs it links are large, and the machine has other work.
CGO_ENABLED=0 GOFLAGS="-buildvcs=false -p=1" nice go build -trimpath -ldflags "-s -w" -o "$target.new" .
mv "$target.new" "$target"
echo "$version" >"$stamp"
echo "$target"
