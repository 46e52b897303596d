#!/usr/bin/env bash
# Makes the images that a cluster of Talos pulls, from what lab/build-real-talos.sh has built, as a folder that the
# registry beside it serves: FOLDER/registry/blobs/DIGEST, FOLDER/registry/manifests/NAME/TAG.
# Usage: lab/real-talos/lay-out-images.sh FOLDER KUBERNETES
set -euo pipefail
target="$1" kubernetes="$2"
programs="$target/programs"
registry="$target/registry"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

constant() { sed -n "s/^[[:space:]]*$1 = \"\(.*\)\"$/\1/p" "$target/talos/constants.go" | head -n 1; }

rm -rf "$registry"
mkdir -p "$registry/blobs"

# keep FILE: as a blob; says its digest and size.
keep() {
  local digest
  digest="sha256:$(sha256sum "$1" | cut -d' ' -f1)"
  mv "$1" "$registry/blobs/$digest"
  echo "$digest $(stat -c %s "$registry/blobs/$digest")"
}

# layer ROOT: says digest and size of it.
layer() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$1" -cf "$scratch/layer" .
  keep "$scratch/layer"
}

# image NAME TAG LAYER SIZE [PROGRAM]
image() {
  local name="$1" tag="$2" layer="$3" size="$4" config config_size entry=""
  [[ -z "${5:-}" ]] || entry=",\"Entrypoint\":[\"$5\"]"
  cat >"$scratch/config" <<JSON
{"architecture":"amd64","os":"linux","config":{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]$entry},"rootfs":{"type":"layers","diff_ids":["$layer"]}}
JSON
  read -r config config_size < <(keep "$scratch/config")
  mkdir -p "$registry/manifests/$name"
  cat >"$registry/manifests/$name/$tag" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"$config","size":$config_size},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"$layer","size":$size}]}
JSON
  # An image is asked for by the digest of its manifest too.
  cp "$registry/manifests/$name/$tag" "$registry/manifests/$name/sha256:$(sha256sum "$registry/manifests/$name/$tag" | cut -d' ' -f1)"
}

# One root for all of Kubernetes and etcd: the program of many names, and what the kubelet and kube-proxy call.
root="$scratch/kubernetes"
merge_bin "$root"
mkdir -p "$root"/{etc,tmp,var,run,proc,sys,dev,usr/local/bin}
ln -s ../run "$root/var/run"
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
install -m 755 "$programs/kubernetes" "$root/usr/local/bin/kubernetes"
for name in etcd kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet; do
  ln -s kubernetes "$root/usr/local/bin/$name"
done
add_program "$root" mount
add_program "$root" umount
add_firewall "$root"
add_busybox "$root" sh cp ls cat mkdir modprobe
read -r digest size < <(layer "$root")
for name in kube-apiserver kube-controller-manager kube-scheduler kube-proxy; do
  image "$name" "$kubernetes" "$digest" "$size"
done
image siderolabs/kubelet "$kubernetes" "$digest" "$size" /usr/local/bin/kubelet
image etcd "$(constant DefaultEtcdVersion)" "$digest" "$size"

root="$scratch/flannel"
merge_bin "$root"
mkdir -p "$root"/{opt/bin,tmp,etc}
add_busybox "$root" sh cp ls cat
install -m 755 "$programs/flanneld" "$root/opt/bin/flanneld"
read -r digest size < <(layer "$root")
image siderolabs/flannel "$(constant FlannelVersion)" "$digest" "$size"

root="$scratch/coredns"
install -D -m 755 "$programs/coredns" "$root/coredns"
mkdir -p "$root/tmp"
read -r digest size < <(layer "$root")
image coredns/coredns "$(constant DefaultCoreDNSVersion)" "$digest" "$size" /coredns

root="$scratch/pause"
install -D -m 755 "$programs/pause" "$root/pause"
read -r digest size < <(layer "$root")
# The tag that containerd asks for by default; Talos lists the same.
image pause 3.10.1 "$digest" "$size" /pause
