#!/usr/bin/env bash
# Builds the real kube-apiserver, kube-controller-manager and etcd with the Go toolchain, for the tests that run our
# Kubernetes client and helm against them (test/support/kube/apiserver.ts starts them on loopback).
# The programs go into a cache outside the repository; a second run finds them there and does nothing.
# Needs: go (1.26 or newer). Usage: lab/build-kube-apiserver.sh [VERSION]
set -euo pipefail

version="${1:-v1.36.3}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/kubernetes"
stamp="$target/version"
programs=(etcd kube-apiserver kube-controller-manager)

if [[ "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$target"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-kube-apiserver: go is not installed" >&2
  exit 1
}

scratch="$(mktemp -d)"
# Files from the module cache are read-only; rm needs to write their folders.
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT

link_flags="$("$(dirname "$0")/prepare-kubernetes-source.sh" "$version" "$scratch")"
cd "$scratch"

# Kubernetes already depends on the server of the etcd it was tested with: that one is built, in the same breath.
mkdir -p cmd/etcd
cat >cmd/etcd/main.go <<'GO'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
GO

mkdir -p "$target"
for program in "${programs[@]}"; do
  CGO_ENABLED=0 GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -p 2 \
    -ldflags "$link_flags" -o "$target/$program.new" "./cmd/$program"
  mv "$target/$program.new" "$target/$program"
done
echo "$version" >"$stamp"
echo "$target"
