#!/usr/bin/env bash
# Runs one Talos node, in namespaces of its own, until it switches itself off or is killed; started by
# lab/real-talos.sh, which has made the network namespace "talos-NODE" and the folder.
# Usage: lab/real-talos/node.sh ROOTFS FOLDER HOSTNAME ADDRESS GATEWAY CGROUP NETNS
set -euo pipefail
rootfs="$1" folder="$2" hostname="$3" address="$4" gateway="$5" cgroup="$6" netns="$7"

# What a machine has on its disk is in these folders; a boot finds it again.
fill_disk() {
  mkdir -p "$folder"/{root,disk/{var,state,libexec,etc-cni/net.d,etc-kubernetes/manifests}}
  [[ -d "$folder/disk/opt" ]] || cp -a "$rootfs/opt" "$folder/disk/opt"
  echo "$hostname" >"$folder/hostname"
  echo "nameserver $gateway" >"$folder/resolv.conf"
  printf '127.0.0.1 localhost\n%s %s\n' "$address" "$hostname" >"$folder/hosts"
}

# Becomes the first process of the new namespaces.
inside() {
  mount --make-rprivate /
  hostname "$hostname"
  mount --bind "$rootfs" "$folder/root"
  mount -o remount,bind,ro "$folder/root"
  cd "$folder/root"
  local place
  for place in run system tmp; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
  mkdir -p system/state
  for place in var:var state:system/state opt:opt libexec:usr/libexec/kubernetes etc-cni:etc/cni \
    etc-kubernetes:etc/kubernetes; do
    mount --bind "$folder/disk/${place%%:*}" "${place#*:}"
  done
  for place in hostname resolv.conf hosts; do mount --bind "$folder/$place" "etc/$place"; done
  mount -t proc proc proc
  mount -t sysfs sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  make_devices
  pivot_root . .old
  cd /
  # shellcheck disable=SC2016
  exec /bin/busybox sh -c '/bin/busybox umount -l /.old
    exec /bin/busybox env -i PLATFORM=container container=docker TALOSSKU=lab \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /sbin/init'
}

# No block devices: in a container Talos would take the disks of this machine for its own.
make_devices() {
  mount -t tmpfs -o mode=755 tmpfs dev
  mkdir dev/pts dev/shm dev/mqueue dev/net
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
  mount -t tmpfs tmpfs dev/shm
  mount -t mqueue mqueue dev/mqueue
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  local name major minor number=0
  for name in stdin stdout stderr; do ln -s "/proc/self/fd/$((number++))" "dev/$name"; done
  while read -r name major minor; do mknod -m 666 "dev/$name" c "$major" "$minor"; done <<'DEVICES'
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
kmsg 1 11
tty 5 0
fuse 10 229
net/tun 10 200
DEVICES
}

# A container has no disks that Talos could wipe: a reset only switches it off, and the lab does the wiping.
was_reset() { tail -n +"$1" "$folder/console" | grep -q 'reset request received'; }

if [[ "${8:-}" == inside ]]; then
  inside
fi

echo $$ >"$folder/pid"
while :; do
  fill_disk
  # What a boot before has left; a cgroup can be removed once it is empty.
  find "$cgroup" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null || true
  first_line=$(($(wc -l <"$folder/console" 2>/dev/null || echo 0) + 1))
  echo "== boot $(date -u +%T)" >>"$folder/console"
  status=0
  (
    echo "$BASHPID" >"$cgroup/cgroup.procs"
    exec ip netns exec "$netns" unshare -m -u -i -C -p -f --kill-child=KILL "$0" "$@" inside
  ) >>"$folder/console" 2>&1 </dev/null || status=$?
  echo "== ended with $status $(date -u +%T)" >>"$folder/console"
  # In a PID namespace reboot(2) ends its first process: by SIGHUP to restart (129), by SIGINT to switch off (130).
  if was_reset "$first_line"; then
    rm -rf "$folder/disk"
  elif [[ $status != 129 ]]; then
    break
  fi
  sleep 1
done
rm -f "$folder/pid"
