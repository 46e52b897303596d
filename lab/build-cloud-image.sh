#!/usr/bin/env bash
# Builds a small, real cloud-init image of Debian 12 from the packages of a Debian mirror, for the tests that start real
# guests. It behaves as the distribution's own cloud image does: cloud-init makes users, keys, host name, network and
# grows the root file system. It is trimmed so that it starts in reasonable time without KVM.
# The image goes into a cache outside the repository; a second run of the same script finds it there and does nothing.
#
# No loop device, no mount, no nbd: file systems are made with "mke2fs -d" and mtools, and GRUB's first stage is written
# with two patched sectors, so it also runs in a container. It boots with BIOS and with UEFI.
# Needs: apt, as root (it installs what it is missing). Usage: lab/build-cloud-image.sh [--k3s]
# With --k3s it is an image of its own, with the container tools beside that a released K3s unpacks from itself and the
# one of lab/build-k3s.sh does not have.
# DEBIAN_MIRROR and DEBIAN_SECURITY_MIRROR name other mirrors than the ones apt uses here; "none" for no security mirror.
set -euo pipefail
export LC_ALL=C

suite=bookworm
disk_bytes=$((3 * 1024 * 1024 * 1024))
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
folder="$cache/cloud-image"
case "${1:-}" in
--k3s) flavour=-k3s ;;
"") flavour="" ;;
*)
  echo "build-cloud-image: no such option: $1" >&2
  exit 1
  ;;
esac
target="$folder/debian-12$flavour.qcow2"
stamp="$target.version"
version="$(sha256sum <"$0" | cut -d' ' -f1)"

is_built() { [[ -s "$target" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; }
die() {
  echo "build-cloud-image: $*" >&2
  exit 1
}
say() { printf '[%4ds] %s\n' "$SECONDS" "$*" >&2; }

if is_built; then
  echo "$target"
  exit 0
fi
((EUID == 0)) || die "needs root: the packages are unpacked in a chroot"
renice -n 10 $$ >/dev/null

tools=(mmdebstrap mke2fs:e2fsprogs sfdisk:fdisk mcopy:mtools qemu-img:qemu-utils grub-mkimage:grub-common
  mkfs.vfat:dosfstools)
missing=()
for tool in "${tools[@]}"; do command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}"); done
[[ -d /usr/lib/grub/i386-pc ]] || missing+=(grub-pc-bin)
[[ -d /usr/lib/grub/x86_64-efi ]] || missing+=(grub-efi-amd64-bin)
if ((${#missing[@]})); then
  command -v apt-get >/dev/null || die "missing: ${missing[*]}"
  say "installing ${missing[*]}"
  apt-get -qq -o DPkg::Lock::Timeout=600 update
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y \
    --no-install-recommends "${missing[@]}" >/dev/null
fi

apt_mirror() { # the first repository that apt knows for a release
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v release="$1" '$1 == release { sub("/$", "", $2); print $2; exit }'
}
mirror="${DEBIAN_MIRROR:-$(apt_mirror "$suite")}"
security="${DEBIAN_SECURITY_MIRROR:-$(apt_mirror "$suite-security")}"
[[ -n "$mirror" ]] || die "apt knows no mirror for $suite; name one with DEBIAN_MIRROR"

# Two runs at once would build the same; the second waits and finds it done.
mkdir -p "$folder"
exec 9>"$folder/lock$flavour"
flock 9
if is_built; then
  echo "$target"
  exit 0
fi

work="$(mktemp -d "$folder/build.XXXXXX")"
trap 'rm -rf --one-file-system "$work"' EXIT
root="$work/root"

packages=(
  systemd systemd-sysv systemd-resolved dbus udev libpam-systemd kmod
  linux-image-cloud-amd64 initramfs-tools zstd
  cloud-init cloud-guest-utils fdisk e2fsprogs netplan.io
  openssh-server qemu-guest-agent
  iproute2 iputils-ping nftables iptables procps sudo ca-certificates curl less
)
[[ -z "$flavour" ]] || packages+=(runc containerd containernetworking-plugins conntrack ethtool ipset socat)
sources="deb $mirror $suite main
deb $mirror $suite-updates main"
[[ "${security:-none}" == none ]] || sources+="
deb $security $suite-security main"

# cloud-init looks for its seed before udev loads anything, so a CD drive is seen only when the initrd has loaded sr_mod.
# Debian's cloud kernel has no ahci module: a seed on a SATA drive is never seen.
initrd_modules='virtio_pci virtio_blk virtio_scsi sd_mod sr_mod cdrom isofs ata_piix nvme ext4 crc32c_generic'

say "unpacking ${#packages[@]} packages and what they need"
mmdebstrap --mode=root --variant=minbase --format=directory --quiet \
  --include="$(IFS=, && echo "${packages[*]}")" \
  --aptopt='Acquire::Languages "none"' \
  --aptopt='APT::Install-Recommends "false"' \
  --aptopt='Acquire::Retries "3"' \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='force-unsafe-io' \
  --setup-hook='mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/etc/default"' \
  --essential-hook='printf "MODULES=list\nCOMPRESS=zstd\nRESUME=none\nFSTYPE=ext4\n" >"$1/etc/initramfs-tools/conf.d/cloud-image"' \
  --essential-hook="printf '%s\\n' $initrd_modules >\"\$1/etc/initramfs-tools/modules\"" \
  --essential-hook='printf "do_symlinks=no\n" >"$1/etc/kernel-img.conf"' \
  "$suite" "$root" <<<"$sources" >&2

say "configuring"
cd "$root"
: >etc/machine-id # empty: each machine makes its own at its first start
rm -f var/lib/dbus/machine-id etc/ssh/ssh_host_*_key* etc/hostname
echo localhost >etc/hostname
echo 'LABEL=cloudroot / ext4 rw,discard,errors=remount-ro 0 1' >etc/fstab
ln -sf ../usr/share/zoneinfo/Etc/UTC etc/localtime
ln -sf ../run/systemd/resolve/stub-resolv.conf etc/resolv.conf
: >etc/motd

cat >etc/cloud/cloud.cfg.d/90_image.cfg <<'CONFIG'
# No waiting for metadata servers.
datasource_list: [NoCloud, ConfigDrive, None]
# RSA keys are slow to make under emulation.
ssh_genkeytypes: [ed25519]
system_info:
  network:
    renderers: [netplan, networkd]
# The distribution's lists without what has no use here: each module named is loaded at each start, and grub-dpkg alone
# costs ten seconds emulated.
cloud_init_modules: [seed_random, bootcmd, write-files, growpart, resizefs, disk_setup,
  mounts, set_hostname, update_hostname, update_etc_hosts, ca-certs, rsyslog,
  users-groups, ssh]
cloud_config_modules: [set-passwords, apt-configure, ntp, timezone, runcmd]
cloud_final_modules: [package-update-upgrade-install, write-files-deferred,
  scripts-vendor, scripts-per-once, scripts-per-boot, scripts-per-instance,
  scripts-user, ssh-authkey-fingerprints, phone-home, final-message,
  power-state-change]
CONFIG

# Units that only cost time in a machine of some minutes. The wait for the network stays: others rely on it.
for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service \
  fstrim.timer dpkg-db-backup.timer systemd-timesyncd.service systemd-pstore.service \
  systemd-random-seed.service getty@tty1.service cloud-init-hotplugd.socket \
  systemd-binfmt.service proc-sys-fs-binfmt_misc.automount; do
  ln -sf /dev/null "etc/systemd/system/$unit"
done
chroot . systemctl --quiet enable systemd-networkd.service systemd-resolved.service \
  ssh.service serial-getty@ttyS0.service

# K3s looks for its tools in PATH, which a released one begins with the folder it unpacks them into. Its containerd is
# K3s itself by another name; of Debian's only the shim is used.
if [[ -n "$flavour" ]]; then
  beside=usr/local/lib/k3s-tools
  mkdir -p "$beside"
  for plugin in usr/lib/cni/*; do ln -s "/$plugin" "$beside/"; done
  ln -s /usr/bin/runc /usr/bin/containerd-shim-runc-v2 "$beside/"
  ln -s /usr/local/bin/k3s "$beside/containerd"
  ln -sf /dev/null etc/systemd/system/containerd.service
  rm -f usr/bin/containerd usr/bin/containerd-shim usr/bin/containerd-shim-runc-v1 usr/bin/ctr usr/bin/containerd-stress
  for unit in k3s k3s-agent; do
    echo "PATH=/$beside:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" >"etc/default/$unit"
  done
fi

kernel="$(ls lib/modules | sort -V | tail -1)"
[[ -s "boot/vmlinuz-$kernel" ]] || die "no kernel was unpacked"
[[ -s "boot/initrd.img-$kernel" ]] || chroot . update-initramfs -c -k "$kernel" >&2
mkdir -p boot/grub
cat >boot/grub/grub.cfg <<CONFIG
set timeout=0
linux /boot/vmlinuz-$kernel root=LABEL=cloudroot ro console=tty0 console=ttyS0,115200n8 mitigations=off
initrd /boot/initrd.img-$kernel
boot
CONFIG
rm -rf var/cache/apt/* var/lib/apt/lists/* var/log/*.log var/log/apt var/cache/debconf/*-old \
  var/lib/dpkg/*-old tmp/* run/* usr/share/doc/*/[!c]* usr/share/lintian
cd "$work"

# Partitions as in the distribution's own images: root stands at the end, so that it can grow.
say "file systems"
bios_lba=2048 bios_sectors=2048
esp_lba=4096 esp_sectors=$((8 * 2048))
root_lba=$((esp_lba + esp_sectors))
root_sectors=$((disk_bytes / 512 - root_lba - 2048)) # 1 MiB left for the second partition table
truncate -s "$disk_bytes" disk.raw
sfdisk --quiet disk.raw <<TABLE
label: gpt
14: start=$bios_lba, size=$bios_sectors, type=21686148-6449-6E6F-744E-656564454649
15: start=$esp_lba, size=$esp_sectors, type=C12A7328-F81F-11D2-BA4B-00C93EC93B4B
1: start=$root_lba, size=$root_sectors, type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709
TABLE
# GRUB 2.06 cannot read orphan_file and metadata_csum_seed.
mke2fs -q -t ext4 -L cloudroot -d "$root" -m 1 -J size=16 -O ^metadata_csum_seed,^orphan_file \
  -E "offset=$((root_lba * 512)),root_owner=0:0" disk.raw "$((root_sectors / 2))k"

say "boot loaders"
cat >early.cfg <<'CONFIG'
search.fs_label cloudroot root
set prefix=($root)/boot/grub
configfile $prefix/grub.cfg
CONFIG
modules=(part_gpt ext2 search search_label configfile linux normal echo test)
grub-mkimage -O x86_64-efi -o bootx64.efi -c early.cfg -p /boot/grub "${modules[@]}"
truncate -s $((esp_sectors * 512)) esp.img
mkfs.vfat -n ESP esp.img >/dev/null
mmd -i esp.img ::/EFI ::/EFI/BOOT
mcopy -i esp.img bootx64.efi ::/EFI/BOOT/BOOTX64.EFI
dd if=esp.img of=disk.raw bs=512 seek=$esp_lba conv=notrunc,sparse status=none

# For BIOS what grub-install would do: boot.img names at 0x5c the sector of core.img, and core.img's first sector names
# at 0x1f4 the one where the rest of it goes on.
grub-mkimage -O i386-pc -o core.img -c early.cfg -p /boot/grub biosdisk "${modules[@]}"
(($(stat -c %s core.img) <= bios_sectors * 512)) || die "core.img is too large"
le64() {
  local value=$1
  for _ in 1 2 3 4 5 6 7 8; do
    printf "\\x$(printf %02x $((value & 255)))"
    value=$((value >> 8))
  done
}
le64 $((bios_lba + 1)) | dd of=core.img bs=1 seek=$((0x1f4)) conv=notrunc status=none
cp /usr/lib/grub/i386-pc/boot.img boot.img
le64 $bios_lba | dd of=boot.img bs=1 seek=$((0x5c)) conv=notrunc status=none
# Two nops where it would ask for a floppy drive.
printf '\x90\x90' | dd of=boot.img bs=1 seek=$((0x66)) conv=notrunc status=none
dd if=boot.img of=disk.raw bs=1 count=440 conv=notrunc status=none
dd if=core.img of=disk.raw bs=512 seek=$bios_lba conv=notrunc status=none

say "packing"
qemu-img convert -O qcow2 -c -o compression_type=zstd,cluster_size=64k disk.raw image.qcow2
# Renamed, not written over: whoever reads the old one goes on reading it.
mv image.qcow2 "$target"
echo "$version" >"$stamp"
say "built: $(du -h "$target" | cut -f1), kernel $kernel"
echo "$target"
