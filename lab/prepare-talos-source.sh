#!/usr/bin/env bash
# Lays the source of Talos out in an empty folder so that programs of it can be built there with the Go toolchain.
# Usage: lab/prepare-talos-source.sh VERSION FOLDER
set -euo pipefail

version="$1"
folder="$2"

field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" | head -n 1; }
download() { (cd "$folder" && go mod download -json "$1@$version"); }

talos="$(download github.com/siderolabs/talos)"
download github.com/siderolabs/talos/pkg/machinery >/dev/null

# "go install module@version" refuses modules with replace lines, so the module is built as a main module of its own.
cp -R "$(field Dir <<<"$talos")/." "$folder"
chmod -R u+w "$folder"
cd "$folder"
# The workspace file and one replace line name folders that are modules of their own and not in this one's archive.
rm -f go.work go.work.sum
go mod edit -replace "github.com/siderolabs/talos/pkg/machinery=github.com/siderolabs/talos/pkg/machinery@$version"

# Some module mirrors lack single versions; a neighbouring one that the same code builds with takes its place.
# Fields: module, the version or fork Talos names, the substitute. Only lines whose version go.mod names are looked at.
while read -r module pinned substitute; do
  grep -qF "${pinned%@*} ${pinned#*@}" go.mod || continue
  go mod download "$pinned" 2>/dev/null || go mod edit -replace "$module=$substitute"
done <<'SUBSTITUTES'
github.com/siderolabs/go-kubernetes github.com/siderolabs/go-kubernetes@v0.2.38 github.com/siderolabs/go-kubernetes@v0.2.39
go.etcd.io/etcd/etcdutl/v3 go.etcd.io/etcd/etcdutl/v3@v3.6.12 go.etcd.io/etcd/etcdutl/v3@v3.6.10
github.com/containerd/containerd/v2 github.com/smira/containerd/v2@v2.2.3-0.20260521103442-e05d8ca25f89 github.com/containerd/containerd/v2@v2.2.5
github.com/siderolabs/go-blockdevice/v2 github.com/siderolabs/go-blockdevice/v2@v2.0.26 github.com/siderolabs/go-blockdevice/v2@v2.0.25
github.com/cosi-project/runtime github.com/cosi-project/runtime@v1.16.3 github.com/cosi-project/runtime@v1.16.2
github.com/mdlayher/ethtool github.com/siderolabs/ethtool@v0.6.0-sidero github.com/siderolabs/ethtool@v0.4.0-sidero
github.com/jsimonetti/rtnetlink/v2 github.com/jsimonetti/rtnetlink/v2@v2.2.1-0.20260802200809-43bafec815b3 github.com/jsimonetti/rtnetlink/v2@v2.2.0
SUBSTITUTES
# A hidden command of 1.14 for Talos' own test rigs needs the newer rtnetlink; nothing else does.
if grep -q 'rtnetlink/v2@v2.2.0\|rtnetlink/v2 v2.2.0$' go.mod; then rm -f cmd/talosctl/cmd/mgmt/bgp_launch*.go; fi
