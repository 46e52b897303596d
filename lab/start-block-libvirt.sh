#!/bin/bash
# start-block-libvirt.sh - a second libvirtd whose storage pools are block devices, for kernels without
# device-mapper. It runs in namespaces of its own: the machine's libvirtd, its files and networks stay untouched.
#
#   start-block-libvirt.sh FOLDER GROUP     start; the socket is FOLDER/libvirt-sock
#   start-block-libvirt.sh --stop FOLDER    stop it, and remove its devices and the folder
#
# LVM itself is pretended: libvirt calls lvcreate, lvs, vgs and so on as programs, and finds a script that keeps each
# "logical volume" as a sparse file behind a loop device, in whole extents, as LVM does. libvirt, QEMU and the
# block devices are real; that LVM answers in these words is not proven by it.
set -euo pipefail

if [[ $1 == --stop ]]; then
  folder=$2
  # The daemon and whatever it has started: nobody else sees our folder in that place.
  for signal in TERM KILL; do
    for process in /proc/[0-9]*; do
      grep -qs "/${folder##*/}/etc /etc/libvirt " "$process/mountinfo" || continue
      kill -s $signal "${process#/proc/}" 2>/dev/null || true
    done
    sleep 0.3
  done
  for file in "$folder"/volumes/*; do
    [[ -e $file ]] || continue
    losetup -j "$file" | cut -d: -f1 | xargs -r -n1 losetup -d
  done
  if [[ -s $folder/group ]]; then rm -rf "/dev/$(cat "$folder/group")"; fi
  rm -rf "$folder"; exit 0
fi

folder=$1 group=$2
mkdir -p "$folder/volumes"; chmod 0755 "$folder"
echo "$group" >"$folder/group"; mkdir -p "/dev/$group"

cat >"$folder/lvm" <<LVM
#!/bin/bash
folder=$folder group=$group extent=4194304 total=4398046511104
LVM
cat >>"$folder/lvm" <<'LVM'
exec 2>&1
taken() { stat -c %s "$folder"/volumes/* 2>/dev/null | awk '{ sum += $1 } END { printf "%d", sum }'; }
case $(basename "$0") in
  pvs) echo "  /dev/pretended $group" ;;
  vgs) echo "  $total:$((total - $(taken)))" ;;
  lvs)
    for file in "$folder"/volumes/*; do
      [[ -e $file ]] || continue
      size=$(stat -c %s "$file") name=${file##*/}
      echo "  $name##$(md5sum <<<"$name" | cut -c1-32)#/dev/pretended(0)#linear#1#$size#$extent#$size#-wi-a-----"
    done ;;
  lvcreate)
    while (($#)); do
      case $1 in
        --name) name=$2; shift ;;
        -L) size=$((${2%K} * 1024)); shift ;;
        --type) echo "only plain volumes here, not of type $2"; exit 5 ;;
        --*) shift ;;
      esac
      shift
    done
    file=$folder/volumes/$name
    [[ ! -e $file ]] || { echo "Logical Volume \"$name\" already exists in volume group \"$group\""; exit 5; }
    truncate -s $(((size + extent - 1) / extent * extent)) "$file"
    ln -s "$(losetup -f --show "$file")" "/dev/$group/$name" ;;
  lvremove)
    name=${!#}; name=${name##*/}
    losetup -d "$(readlink "/dev/$group/$name")" || exit 5
    rm "/dev/$group/$name" "$folder/volumes/$name" ;;
esac
LVM
chmod +x "$folder/lvm"

cp -r /etc/libvirt "$folder/etc"
rm -rf "$folder"/etc/qemu/*.xml "$folder"/etc/qemu/{autostart,networks} "$folder"/etc/storage "$folder"/etc/nwfilter
cat >"$folder/etc/libvirtd.conf" <<CONF
unix_sock_dir = "$folder"
auth_unix_rw = "none"
CONF
# Logs of consoles are written by virtlogd, of which there is one only.
printf '%s\n' 'namespaces = []' 'security_driver = "none"' 'stdio_handler = "file"' >"$folder/etc/qemu.conf"
: >"$folder/nokvm"

unshare --mount --net --propagation private bash -c "
  set -e
  ip link set lo up
  mount --bind '$folder/lvm' \"\$(readlink -f /sbin/lvm)\"
  mount --bind '$folder/etc' /etc/libvirt
  mount -t tmpfs tmpfs /run/libvirt
  mkdir -p '$folder/state'; cp -r --attributes-only --preserve=all /var/lib/libvirt/qemu '$folder/state/' 2>/dev/null || true
  find '$folder/state' -type f -delete; find '$folder/state' -type s -delete
  mount --bind '$folder/state' /var/lib/libvirt
  [ ! -e /dev/kvm ] || mount --bind '$folder/nokvm' /dev/kvm
  exec libvirtd -d -p '$folder/libvirtd.pid'"

for _ in {1..100}; do [[ -S $folder/libvirt-sock ]] && exit 0; sleep 0.1; done
echo "the second libvirtd did not come up" >&2; exit 1
