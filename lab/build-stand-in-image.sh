#!/usr/bin/env bash
# Builds the stand-in image: the smallest system that a real machine can boot in place of Talos, whose images cannot be
# had everywhere. It is Debian's kernel and one program (lab/stand-in-guest) that reads the seed with Talos' own code,
# brings the addresses up and passes its ports on to a simulated Talos outside. It boots with BIOS and with UEFI.
# The image goes into a cache outside the repository; a second run of the same sources finds it there and does nothing.
# Needs: go, and apt (as root when something is missing). Usage: lab/build-stand-in-image.sh
set -euo pipefail
export LC_ALL=C

talos=v1.13.9
lab="$(cd "$(dirname "$0")" && pwd)"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
folder="$cache/stand-in-image"
target="$folder/talos-$talos-stand-in.qcow2"
stamp="$target.version"
version="$(cat "$0" "$lab"/stand-in-guest/*.go | sha256sum | cut -d' ' -f1)"

is_built() { [[ -s "$target" && "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; }
die() {
  echo "build-stand-in-image: $*" >&2
  exit 1
}

if is_built; then
  echo "$target"
  exit 0
fi
command -v go >/dev/null || die "go is not installed"

tools=(cpio zstd sfdisk:fdisk mcopy:mtools mkfs.vfat:dosfstools qemu-img:qemu-utils syslinux grub-mkimage:grub-common)
missing=()
for tool in "${tools[@]}"; do command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}"); done
[[ -s /usr/lib/syslinux/mbr/mbr.bin ]] || missing+=(syslinux-common)
[[ -d /usr/lib/grub/x86_64-efi ]] || missing+=(grub-efi-amd64-bin)
command -v apt-get >/dev/null || die "needs apt-get, for Debian's kernel"
if ((EUID == 0)); then apt-get -qq -o DPkg::Lock::Timeout=600 update; fi
if ((${#missing[@]})); then
  ((EUID == 0)) || die "missing and not root: ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y \
    --no-install-recommends "${missing[@]}" >/dev/null
fi

# Two runs at once would build the same; the second waits and finds it done.
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
if is_built; then
  echo "$target"
  exit 0
fi
work="$(mktemp -d "$folder/build.XXXXXX")"
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
mkdir -p "$work/talos" "$work/root/modules" "$work/kernel"

"$lab/prepare-talos-source.sh" "$talos" "$work/talos" >&2
cp -R "$lab/stand-in-guest" "$work/talos/cmd/stand-in-guest"
(cd "$work/talos" && CGO_ENABLED=0 GOFLAGS="-mod=mod -buildvcs=false" nice go build -trimpath \
  -ldflags "-s -w -X main.talosVersion=${talos#v}" -o "$work/root/init" ./cmd/stand-in-guest)

package="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')"
[[ -n "$package" ]] || die "apt knows no linux-image-cloud-amd64"
chmod 0777 "$work/kernel"
(cd "$work/kernel" && apt-get -qq download "$package" 2>/dev/null && dpkg-deb -x ./*.deb .)
kernel="$(ls "$work"/kernel/boot/vmlinuz-*)"

# A module behind those it needs, as the kernel at hand says it: that changes with its releases.
add_module() {
  local module="$1" found need
  ! grep -qsx "$module.ko" "$work/root/modules/order" || return 0
  found="$(find "$work/kernel/lib/modules" -name "$module.ko")"
  [[ -n "$found" ]] || die "the kernel has no module $module"
  for need in $(tr '\0' '\n' <"$found" | sed -n 's/^depends=//p' | tr ',' ' '); do add_module "$need"; done
  cp "$found" "$work/root/modules/"
  echo "$module.ko" >>"$work/root/modules/order"
}

# Only what a machine of ours has: its disks, its disc, its card and its power button.
for module in virtio_pci virtio_blk virtio_net virtio_scsi sr_mod isofs button evdev; do add_module "$module"; done
mkdir "$work/root/dev"
mknod "$work/root/dev/console" c 5 1 2>/dev/null || true # without it the guest only says less
(cd "$work/root" && find . -print0 | cpio --null --quiet -o -H newc -R 0:0) | zstd -q -19 -o "$work/initrd"

cd "$work"
# A host too busy to tick in time is no reason to give up, and after a panic there is another try.
arguments="console=ttyS0 quiet mitigations=off no_timer_check nowatchdog panic=5"
printf 'default standin\nprompt 0\nlabel standin\n  linux /vmlinuz\n  initrd /initrd\n  append %s\n' \
  "$arguments" >syslinux.cfg
printf 'search.file /vmlinuz root\nlinux ($root)/vmlinuz %s\ninitrd ($root)/initrd\nboot\n' "$arguments" >early.cfg
grub-mkimage -O x86_64-efi -o bootx64.efi -c early.cfg -p / part_msdos fat search search_fs_file linux boot

# One partition for both ways to start: an EFI system partition that is also the active one.
start=2048 sectors=$((48 * 2048))
truncate -s $(((start + sectors) * 512)) disk.raw
sfdisk --quiet disk.raw <<<"label: dos
start=$start, size=$sectors, type=ef, bootable"
dd if=/usr/lib/syslinux/mbr/mbr.bin of=disk.raw conv=notrunc status=none
truncate -s $((sectors * 512)) boot.img
mkfs.vfat -F 16 -h $start boot.img >/dev/null
mmd -i boot.img ::/EFI ::/EFI/BOOT
mcopy -i boot.img bootx64.efi ::/EFI/BOOT/BOOTX64.EFI
mcopy -i boot.img "$kernel" ::/vmlinuz
mcopy -i boot.img initrd syslinux.cfg ::/
syslinux --install boot.img
dd if=boot.img of=disk.raw bs=512 seek=$start conv=notrunc,sparse status=none

qemu-img convert -O qcow2 -c disk.raw image.qcow2
# Renamed, not written over: whoever reads the old one goes on reading it.
mv image.qcow2 "$target"
echo "$version" >"$stamp"
echo "$target"
