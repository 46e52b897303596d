#!/usr/bin/env bash
# Builds a real K3s with the Go toolchain, for the tests that let servers of it found, join and refuse each other
# (test/support/k3s/k3s.ts starts them in network namespaces). It is the program inside of the one that is released: the
# released one unpacks it, together with container tools, and starts it.
# It goes into a cache outside the repository, laid out like a release; a second run finds it there and does nothing.
# Needs: go, and gcc for SQLite. Usage: lab/build-k3s.sh [VERSION]
# With a VERSION it is the same source that calls itself so: it stands for a later patch release where one goes over to the next
# (lab/build-k3s.sh v1.31.2+k3s1), and takes only the time to link it.
set -euo pipefail

# K3s tags its releases in a way that Go modules do not know (v1.36.3+k3s1), so a module mirror has only those commits
# that somebody once asked it for. This is the newest one to be had: the development branch of October 2024.
module="github.com/k3s-io/k3s"
module_version="v1.31.0-rc1.0.20241015183003-536fa44eb04f"
commit="${module_version##*-}"
version="${1:-v1.31.1+k3s1}"

cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/k3s/$version"
stamp="$target/module"

say() { echo "$target: $("$target/k3s" --version | head -n 1), of module $module_version"; }

if [[ "$(cat "$stamp" 2>/dev/null)" == "$module_version" ]]; then
  say
  exit 0
fi
for tool in go gcc; do
  command -v "$tool" >/dev/null || {
    echo "build-k3s: $tool is not installed" >&2
    exit 1
  }
done

field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" | head -n 1; }

scratch="$(mktemp -d)"
# Files from the module cache are read-only; rm needs to write their folders.
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT

# The replace lines (Kubernetes, etcd and containerd of K3s' own) count only in a main module.
source="$(cd "$scratch" && go mod download -json "$module@$module_version" | field Dir)"
cp -R "$source" "$scratch/k3s"
chmod -R u+w "$scratch/k3s"
cd "$scratch/k3s"

stamps="-X $module/pkg/version.Version=$version -X $module/pkg/version.GitCommit=${commit:0:8}"
# K3s starts only when it was built by the Go it is told here, which is that of Kubernetes in a release.
stamps+=" -X $module/pkg/version.UpstreamGolang=$(go env GOVERSION)"
for about in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  stamps+=" -X $about.gitVersion=$version -X $about.gitCommit=$commit -X $about.gitTreeState=clean"
done

# As upstream builds it, but for what needs libraries of C (seccomp, apparmor), which only containers would use.
mkdir -p "$target"
CGO_ENABLED=1 GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -p 2 \
  -tags "ctrd netgo osusergo providerless urfave_cli_no_docs" \
  -ldflags "-s -w $stamps" -o "$target/k3s.new" ./cmd/server
mv "$target/k3s.new" "$target/k3s"
(cd "$target" && sha256sum k3s >sha256sum-amd64.txt)
echo "$module_version" >"$stamp"
say
