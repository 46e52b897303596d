#!/usr/bin/env bash
# Real Talos nodes on this machine: machined, etcd, the kubelet and all else that Talos runs, each node in namespaces of
# its own, on a bridge of its own. They come up in maintenance mode and pull images from a registry on the bridge.
#
#   real-talos.sh [--net 10.5.0] up N              N nodes, at .11 and on; says name, address and MAC of each
#   real-talos.sh [--net 10.5.0] open              the bridge and the registry alone
#   real-talos.sh [--net 10.5.0] start NAME ADDRESS [MAC]    one node; found again with its disk if it was there before
#   real-talos.sh [--net 10.5.0] stop NAME         takes its power away; its disk stays
#   real-talos.sh [--net 10.5.0] wipe NAME         the same, and its disk is gone
#   real-talos.sh [--net 10.5.0] down              stops all of that network and removes everything of them
#   real-talos.sh --check                          ends well when nodes can be run here; else says why not
#
# Each --net is a lab of its own. The gateway and the registry (port 5000) are at .1, and this machine reaches all. The
# registry has what every Talos that was built brings along, so that a cluster can go from one Kubernetes to the next.
# SLIPWAY_REAL_TALOS names another Talos than v1.13.9.
# Needs root, namespaces, a cgroup2 tree, and lab/build-real-talos.sh.
set -euo pipefail

version="${SLIPWAY_REAL_TALOS:-v1.13.9}"
cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
built="$cache/real-talos/$version"
here="$(cd "$(dirname "$0")" && pwd)"
net=10.5.0
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }
[[ "${1:-}" != --net ]] || { net="$2" && shift 2; }
verb="${1:-}"
shift || true

gateway="$net.1"
bridge="talos-${net//./-}"
labs=/var/tmp/slipway-real-talos
lab="$labs/$net"
# The kubelet sets these for the whole machine.
sysctls=(kernel.panic kernel.panic_on_oops vm.overcommit_memory kernel.keys.root_maxkeys kernel.keys.root_maxbytes vm.panic_on_oom)

check() {
  ((EUID == 0)) || { echo "real-talos: must run as root" && return 1; }
  [[ -f "$built/built" ]] || { echo "real-talos: nothing built: run lab/build-real-talos.sh" && return 1; }
  [[ -n "$(cgroup_root)" ]] || { echo "real-talos: no cgroup2 tree is mounted here" && return 1; }
  unshare -m -u -i -C -p -n -f true 2>/dev/null || { echo "real-talos: namespaces are not allowed here" && return 1; }
}

cgroup_root() { awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts; }
cgroup_of() { echo "$(cgroup_root)/$bridge-$1"; }
netns_of() { echo "$bridge-$1"; }
is_running() {
  local pid
  pid="$(cat "$lab/$1/pid" 2>/dev/null)" && [[ -d "/proc/$pid" ]]
}

# One at a time: tests start nodes side by side.
locked() {
  (
    flock 9
    "$@"
  ) 9>/run/lock/slipway-real-talos
}

open_lab() {
  mkdir -p "$lab"
  [[ -f "$labs/sysctls" ]] || { sysctl -e "${sysctls[@]}" 2>/dev/null || true; } >"$labs/sysctls"
  if ! ip link show "$bridge" >/dev/null 2>&1; then
    ip link add "$bridge" type bridge
    ip addr add "$gateway/24" dev "$bridge"
    ip link set "$bridge" up
  fi
  if ! kill -0 "$(cat "$lab/registry.pid" 2>/dev/null)" 2>/dev/null; then
    setsid "$built/programs/registry" "$built/registry" "$cache"/real-talos/*/registry "$gateway:5000" >"$lab/registry.log" 2>&1 9>&- </dev/null &
    echo $! >"$lab/registry.pid"
  fi
}

wire() {
  local netns="$1" address="$2" mac="$3" outside
  ip netns list | grep -qw "$netns" && return
  outside="vt$(printf %s "$netns" | cksum | cut -d' ' -f1)"
  # The kernel may still be at taking down the cable of a node that has just gone.
  ip link del "$outside" 2>/dev/null || true
  ip netns add "$netns"
  ip link add "$outside" type veth peer name eth0 netns "$netns"
  ip link set "$outside" master "$bridge" up
  ip -n "$netns" link set eth0 address "$mac"
  ip -n "$netns" addr add "$address/24" dev eth0
  ip -n "$netns" link set eth0 up
  ip -n "$netns" link set lo up
  ip -n "$netns" route add default via "$gateway"
}

start_node() {
  local name="$1" address="$2" mac="${3:-}" cgroup netns
  # shellcheck disable=SC2086
  [[ -n "$mac" ]] || mac="$(printf '02:5a:%02x:%02x:%02x:%02x' ${address//./ })"
  is_running "$name" && return
  open_lab
  cgroup="$(cgroup_of "$name")"
  netns="$(netns_of "$name")"
  wire "$netns" "$address" "$mac"
  mkdir -p "$lab/$name" "$cgroup"
  setsid "$here/real-talos/node.sh" "$built/rootfs" "$lab/$name" "$name" "$address" "$gateway" "$cgroup" "$netns" \
    >>"$lab/$name/console" 2>&1 9>&- </dev/null &
  echo $! >"$lab/$name/pid"
}

# The supervisor first, or it would take the end of its node for a reboot. With its first process a PID namespace ends.
stop_node() {
  local name="$1" cgroup pid
  pid="$(cat "$lab/$name/pid" 2>/dev/null)" && kill -KILL "$pid" 2>/dev/null || true
  rm -f "$lab/$name/pid"
  cgroup="$(cgroup_of "$name")"
  for _ in {1..100}; do
    [[ -d "$cgroup" ]] || break
    find "$cgroup" -name cgroup.procs -exec cat {} + 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true
    find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [[ ! -d "$cgroup" ]] || sleep 0.1
  done
  ip netns del "$(netns_of "$name")" 2>/dev/null || true
}

wipe_node() {
  stop_node "$1"
  rm -rf "${lab:?}/$1"
}

close_lab() {
  local folder pid
  for folder in "$lab"/*/; do
    [[ ! -d "$folder" ]] || wipe_node "$(basename "$folder")"
  done
  pid="$(cat "$lab/registry.pid" 2>/dev/null)" && kill "$pid" 2>/dev/null || true
  ip link del "$bridge" 2>/dev/null || true
  rm -rf "$lab"
  # The last one gives the machine its settings back.
  if [[ -f "$labs/sysctls" && -z "$(find "$labs" -mindepth 1 -type d)" ]]; then
    sysctl -q -p "$labs/sysctls" 2>/dev/null || true
    rm -rf "$labs"
  fi
}

await_maintenance() {
  for _ in {1..300}; do
    (exec 3<>"/dev/tcp/$1/50000") 2>/dev/null && return
    sleep 0.1
  done
  echo "real-talos: $1 does not answer; see $lab/*/console" >&2
  return 1
}

[[ "$verb" == down ]] || [[ "$verb" =~ ^(-h|--help|)$ ]] || check >&2
case "$verb" in
  up)
    count="${1:?how many}"
    for ((i = 1; i <= count; i++)); do
      locked start_node "node-$i" "$net.$((10 + i))"
    done
    for ((i = 1; i <= count; i++)); do
      await_maintenance "$net.$((10 + i))"
      echo "node-$i $net.$((10 + i)) $(ip netns exec "$(netns_of "node-$i")" cat /sys/class/net/eth0/address)"
    done
    ;;
  open) locked open_lab ;;
  start) locked start_node "${1:?NAME}" "${2:?ADDRESS}" "${3:-}" ;;
  stop) locked stop_node "${1:?NAME}" ;;
  wipe) locked wipe_node "${1:?NAME}" ;;
  down)
    ((EUID == 0)) || { echo "real-talos: must run as root" >&2 && exit 1; }
    locked close_lab
    ;;
  --check) ;;
  -h | --help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
