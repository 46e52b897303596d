#!/usr/bin/env bash
# Builds the real kube-apiserver, kube-controller-manager and etcd with the Go toolchain, for the tests that run our
# Kubernetes client and helm against them (test/support/kube-apiserver.ts starts them on loopback).
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

field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" | head -n 1; }

scratch="$(mktemp -d)"
# Files from the module cache are read-only; rm needs to write their folders.
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT

module="$(cd "$scratch" && go mod download -json "k8s.io/kubernetes@$version")"
cp -R "$(field Dir <<<"$module")" "$scratch/kubernetes"
chmod -R u+w "$scratch/kubernetes"
cd "$scratch/kubernetes"

# The workspace and the replace lines name folders ("staging") that the module's archive does not hold; each of them
# is published as a module of its own, v1.36.3 as v0.36.3. The samples are not, and nothing we build needs them.
rm -rf go.work go.work.sum vendor
published="v0.${version#v1.}"
edits=()
while read -r staged; do
  case "$staged" in
    k8s.io/sample-*) edits+=("-dropreplace=$staged" "-droprequire=$staged") ;;
    *) edits+=("-replace=$staged=$staged@$published") ;;
  esac
done < <(sed -n 's#^[[:space:]]*\(k8s\.io/[a-z0-9-]*\) => \./staging/.*#\1#p' go.mod)
go mod edit "${edits[@]}"

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

# Without these the server calls itself v0.0.0-master, and helm and kubectl go by what it says.
# The minor version is read from the same place by its feature gates.
about="k8s.io/component-base/version"
minor="${version#v1.}"
stamps="-X $about.gitVersion=$version -X $about.gitMajor=1 -X $about.gitMinor=${minor%%.*} -X $about.gitTreeState=clean"

mkdir -p "$target"
for program in "${programs[@]}"; do
  CGO_ENABLED=0 GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -p 2 \
    -ldflags "-s -w $stamps" -o "$target/$program.new" "./cmd/$program"
  mv "$target/$program.new" "$target/$program"
done
echo "$version" >"$stamp"
echo "$target"
