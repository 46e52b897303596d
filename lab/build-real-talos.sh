#!/usr/bin/env bash
# Builds what a real Talos node is made of, for lab/real-talos.sh: machined and containerd, the file system a node
# starts from, and a registry folder with the images its cluster pulls (Kubernetes, etcd, CoreDNS, pause, flannel).
# Everything comes from the Go module mirror, runc and the like from Debian; flannel and pause are stand-ins of ours.
# It goes into a cache outside the repository; a second run finds it there and does nothing, and one that was cut goes on
# with the first program that is missing.
# Needs: go, root and apt (or runc, nft, iptables and busybox already here). Usage: lab/build-real-talos.sh [VERSION]
set -euo pipefail

version="${1:-v1.13.9}"
here="$(cd "$(dirname "$0")" && pwd)"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
target="$cache/real-talos/$version"
stamp="$target/built"
containerd=v2.2.5
cni_plugins=v1.9.0

# The one that Slipway gives to clusters of this Talos: not always the patch that Talos names, which mirrors may lack.
minor="${version#v1.}"
kubernetes="$(sed -n "s/^  talos(${minor%%.*}, \"[^\"]*\", \"\(.*\)\"),$/\1/p" "$here/../src/spec/values/versions.ts")"

# Of all that is laid out below; a change of it lays the folders out anew.
layout="$({ echo "$kubernetes" && cat "$0" "$here"/real-talos/*.sh "$here"/real-talos/*/*.go "$here"/real-talos/*/*/*.go; } | sha256sum | cut -c1-16)"

if [[ "$(cat "$stamp" 2>/dev/null)" == "$layout" ]]; then
  echo "$target: Talos $version, $(du -sh "$target" | cut -f1)"
  exit 0
fi
command -v go >/dev/null || {
  echo "build-real-talos: go is not installed" >&2
  exit 1
}

install_programs() {
  local missing=() tool
  for tool in runc nft:nftables iptables busybox:busybox-static ip:iproute2; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
  done
  ((${#missing[@]} == 0)) && return
  ((EUID == 0)) || {
    echo "build-real-talos: missing and not root: ${missing[*]}" >&2
    exit 1
  }
  apt-get -qq -o DPkg::Lock::Timeout=600 update
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends \
    "${missing[@]}" >/dev/null
}

# build NAME VERSION COMMAND…: runs it in an empty folder unless that program was built before, in that version; it leaves
# the program as ./built.
build() {
  local name="$1" of="$2" began=$SECONDS folder
  shift 2
  [[ -x "$programs/$name" && "$(cat "$target/versions/$name" 2>/dev/null)" == "$of" ]] && return
  folder="$scratch/$name"
  mkdir -p "$folder"
  (cd "$folder" && "$@")
  mv "$folder/built" "$programs/$name"
  echo "$of" >"$target/versions/$name"
  chmod -R u+w "$folder" && rm -rf "$folder"
  echo "$name: $(du -h "$programs/$name" | cut -f1), $((SECONDS - began))s"
}

# What a node has of Talos beside its programs, and the constants that say what its clusters are made of.
copy_talos_files() {
  local folder="$scratch/talos" machinery
  mkdir -p "$folder" "$target/talos"
  "$here/prepare-talos-source.sh" "$version" "$folder"
  cp "$folder"/hack/{nfsmount.conf,containerd.toml,cri-containerd.toml,cri-plugin.part} "$target/talos"
  machinery="$(cd "$folder" && GOFLAGS=-mod=mod go list -m -f '{{.Dir}}' github.com/siderolabs/talos/pkg/machinery)"
  install -m 644 "$machinery/version/os-release" "$machinery/constants/constants.go" "$target/talos"
}

build_machined() {
  cp -R "$scratch/talos/." .
  # Without CAP_SYS_RESOURCE, as in most containers, an OOM score cannot be lowered: no reason to give up.
  sed -i 's/pathError.Err != syscall.ENOENT {/pathError.Err != syscall.ENOENT \&\& pathError.Err != syscall.EACCES {/' \
    internal/app/machined/pkg/system/runner/process/process.go
  GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -p 2 -tags tcell_minimal,grpcnotrace \
    -ldflags "-s -w -X golang.zx2c4.com/wireguard/ipc.socketDirectory=/system/wireguard-sock" \
    -o built ./internal/app/machined
}

constant() { sed -n "s/^[[:space:]]*$1 = \"\(.*\)\"$/\1/p" "$target/talos/constants.go" | head -n 1; }

build_kubernetes() {
  local link_flags
  link_flags="$("$here/prepare-kubernetes-source.sh" "v$kubernetes" "$PWD")"
  mkdir -p cmd/lab
  cp "$here/real-talos/kubernetes/main.go" cmd/lab
  GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -p 2 -ldflags "$link_flags" -o built ./cmd/lab
}

# build_module PACKAGE VERSION [LINK FLAGS]
build_module() {
  GOBIN="$PWD" GOFLAGS="-buildvcs=false -trimpath" nice go install -p 2 -ldflags "-s -w ${3:-}" "$1@$2"
  mv "$(basename "${1%/v[0-9]}")" built
}

# Without the plugins for clouds, which no cluster of Talos uses and which take most of the time.
build_coredns() {
  local version="$1" kept="cache errors forward health kubernetes loadbalance log loop metrics ready reload"
  cp -R "$(go mod download -json "github.com/coredns/coredns@$version" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')/." .
  chmod -R u+w .
  sed -i "\\#\"github.com/coredns/coredns/plugin/\(${kept// /\\|}\)\"#!{/^[[:space:]]*_ /d}" core/plugin/zplugin.go
  GOFLAGS="-mod=mod -buildvcs=false -trimpath" nice go build -p 2 -ldflags "-s -w" -o built .
}

build_stand_in() {
  cp -R "$here/real-talos/stand-ins/." .
  GOFLAGS="-buildvcs=false -trimpath" nice go build -ldflags "-s -w" -o built "./$1"
}

began=$SECONDS
mkdir -p "$target"/{programs,versions}
exec 9>"$target/lock"
flock 9 # another run may be at it
install_programs
export CGO_ENABLED=0
programs="$target/programs"
# Beside them, so that a program is there wholly or not at all.
scratch="$target/scratch"
# Files from the module cache are read-only; rm needs to write their folders.
clear_scratch() { [[ ! -d "$scratch" ]] || { chmod -R u+w "$scratch" && rm -rf "$scratch"; }; }
clear_scratch # of a run that was cut
trap clear_scratch EXIT
rm -f "$stamp"

copy_talos_files
build machined "$version" build_machined
shipped="-X github.com/containerd/containerd/v2/version.Version=${containerd#v}"
for name in containerd containerd-shim-runc-v2; do
  build "$name" "$containerd" build_module "github.com/containerd/containerd/v2/cmd/$name" "$containerd" "$shipped"
done
for plugin in main/bridge main/loopback ipam/host-local meta/portmap; do
  build "${plugin#*/}" "$cni_plugins" build_module "github.com/containernetworking/plugins/plugins/$plugin" "$cni_plugins"
done
build coredns "$(constant DefaultCoreDNSVersion)" build_coredns "$(constant DefaultCoreDNSVersion)"
build kubernetes "$kubernetes $(sha256sum <"$here/real-talos/kubernetes/main.go" | cut -c1-16)" build_kubernetes
for name in pause runc flannel flanneld registry; do
  build "$name" "$layout" build_stand_in "$name"
done

"$here/real-talos/lay-out-node.sh" "$target"
"$here/real-talos/lay-out-images.sh" "$target" "v$kubernetes"
echo "$layout" >"$stamp"
echo "$target: Talos $version, $(du -sh "$target" | cut -f1), made in $((SECONDS - began))s"
