#!/usr/bin/env bash
# Lays out the file system of a Talos node that runs in a container, as Talos' own image has it, from what
# lab/build-real-talos.sh has built. Usage: lab/real-talos/lay-out-node.sh FOLDER
set -euo pipefail
target="$1"
programs="$target/programs"
talos="$target/talos"
root="$target/rootfs"
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

rm -rf "$root"
merge_bin "$root"
mkdir -p "$root"/{boot/EFI,dev,proc,sys,run,tmp,var,root,system,mnt,.extra,.old} \
  "$root"/usr/{etc,lib/firmware,lib/modules,lib/udev/rules.d,libexec/kubernetes,local/share,share/spdx,share/zoneinfo/Etc} \
  "$root"/usr/local/lib/kubelet/credentialproviders "$root"/opt/{containerd/bin,containerd/lib,cni/bin} \
  "$root"/etc/{iscsi,nvme,cri/conf.d/hosts,containerd,kubernetes/manifests,cni/net.d,ssl/certs,selinux/targeted/contexts/files}

cp "$talos/nfsmount.conf" "$talos/os-release" "$root/etc"
cp "$talos/containerd.toml" "$root/etc/containerd/config.toml"
cp "$talos/cri-containerd.toml" "$root/etc/cri/containerd.toml"
cp "$talos/cri-plugin.part" "$root/etc/cri/conf.d/00-base.part"
# By this file machined knows that it runs in a container.
echo true >"$root/usr/etc/in-container"
cp /usr/share/zoneinfo/Etc/UTC "$root/usr/share/zoneinfo/Etc/UTC"
ln -s /usr/share/zoneinfo/Etc/UTC "$root/etc/localtime"
# Talos mounts its own files over these, so they have to be there.
touch "$root"/etc/{extensions.yaml,resolv.conf,hosts,hostname,machine-id,ssl/certs/ca-certificates.crt} \
  "$root"/etc/cri/conf.d/{cri.toml,01-registries.part,20-customization.part,base-spec.json} \
  "$root"/etc/{selinux/targeted/contexts/files/file_contexts,iscsi/initiatorname.iscsi,nvme/hostid,nvme/hostnqn}
ln -s ca-certificates.crt "$root/etc/ssl/certs/ca-certificates"

install -m 755 "$programs/machined" "$root/usr/bin/init"
for name in poweroff shutdown reboot dashboard; do ln -s init "$root/usr/bin/$name"; done
install -m 755 "$programs/containerd" "$programs/containerd-shim-runc-v2" "$programs/runc" "$root/usr/bin"
install -m 755 "$programs"/{bridge,loopback,host-local,portmap,flannel} "$root/opt/cni/bin"
add_program "$root" runc runc.real
add_program "$root" mount
add_program "$root" umount
add_firewall "$root"
add_busybox "$root"
