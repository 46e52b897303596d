#!/bin/bash
# start-sshd.sh - an OpenSSH server of its own for tests: its configuration, host keys and
# authorized keys live in one folder, nothing of the system's own sshd is read or written.
# The user who runs it is the one who can log in.
#
#   start-sshd.sh [--no-install] [--netns NAME] [--option LINE]... FOLDER ADDRESS PORT
#   start-sshd.sh --stop FOLDER
#
# FOLDER gets: host_ed25519 and host_ecdsa (with .pub), id_ed25519 (a key that may log in),
# known_hosts (what a client needs to trust it), sshd_config, sshd.pid, log.
# --option adds a line to the configuration, before all others, so that it wins.
# --netns runs it in that network namespace (ip netns add NAME), as on another machine.
set -euo pipefail

install=1; stop=0; netns=; options=()
while (($#)); do
  case $1 in
    --no-install) install=0 ;;
    --stop) stop=1 ;;
    --netns) netns=$2; shift ;;
    --option) options+=("$2"); shift ;;
    -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
folder=${1:?FOLDER is missing}; pidfile=$folder/sshd.pid

if ((stop)); then
  pid=$(cat "$pidfile" 2>/dev/null) || exit 0
  [[ $(cat "/proc/$pid/comm" 2>/dev/null) == sshd ]] && kill "$pid"
  rm -f "$pidfile"; exit 0
fi
address=${2:?ADDRESS is missing}; port=${3:?PORT is missing}

# Called by its whole path: sshd starts itself anew for every connection.
sshd=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v sshd || true)
if [[ -z $sshd ]]; then
  ((install)) && ((EUID == 0)) || { echo "sshd is missing: apt-get install openssh-server" >&2; exit 1; }
  apt-get -qq -o DPkg::Lock::Timeout=600 update
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y \
    --no-install-recommends openssh-server openssh-client >/dev/null
  sshd=/usr/sbin/sshd
fi

umask 077
mkdir -p "$folder"
key() { [[ -f $folder/$1 ]] || ssh-keygen -q -t "$2" -N '' -C "$1" -f "$folder/$1"; }
key host_ed25519 ed25519; key host_ecdsa ecdsa; key id_ed25519 ed25519
[[ -f $folder/authorized_keys ]] || cp "$folder/id_ed25519.pub" "$folder/authorized_keys"
name="[$address]:$port"; [[ $port != 22 ]] || name=$address
echo "$name $(cut -d' ' -f1,2 "$folder/host_ed25519.pub")" >"$folder/known_hosts"
{ ((${#options[@]} == 0)) || printf '%s\n' "${options[@]}"
  cat <<CONFIG
ListenAddress $address:$port
HostKey $folder/host_ed25519
HostKey $folder/host_ecdsa
PidFile $pidfile
AuthorizedKeysFile $folder/authorized_keys
# The folder may stand below one that everybody may write to, like /tmp.
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
# Not the user's own: a long ~/.bashrc would be run for every command.
SetEnv HOME=$folder
CONFIG
} >"$folder/sshd_config"

# sshd refuses to start as root without this empty folder, which the system's own start script makes.
((EUID != 0)) || mkdir -p -m 0755 /run/sshd
rm -f "$pidfile"
${netns:+ip netns exec "$netns"} "$sshd" -f "$folder/sshd_config" -E "$folder/log"
for _ in {1..100}; do
  [[ -s $pidfile ]] && { echo "sshd on $address:$port"; exit 0; }
  sleep 0.05
done
echo "sshd did not come up:" >&2; cat "$folder/log" >&2
exit 1
