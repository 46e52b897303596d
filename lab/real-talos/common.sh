# Sourced by the scripts beside it.

# add_program ROOT PROGRAM [NAME]: into ROOT/usr/bin, with the libraries it is linked with.
add_program() {
  local root="$1" program name lib
  program="$(PATH="$PATH:/usr/sbin:/sbin" command -v "$2")"
  name="${3:-$(basename "$2")}"
  install -D -m 755 "$(readlink -f "$program")" "$root/usr/bin/$name"
  while read -r lib; do
    install -D -m 755 "$(readlink -f "$lib")" "$root/usr/${lib#/}"
  done < <(ldd "$program" 2>/dev/null | grep -o '/lib[^ ]*')
}

# add_firewall ROOT: nft and iptables, which is one program of many names and loads its parts from a folder.
add_firewall() {
  local root="$1" name plugins=/usr/lib/x86_64-linux-gnu/xtables
  add_program "$root" nft
  add_program "$root" iptables
  for name in iptables-nft ip6tables; do ln -sf iptables "$root/usr/bin/$name"; done
  for name in iptables ip6tables; do ln -sf iptables "$root/usr/bin/$name-save" && ln -sf iptables "$root/usr/bin/$name-restore"; done
  mkdir -p "$root$plugins"
  cp -L "$plugins"/* "$root$plugins"
}

# merge_bin ROOT: /bin, /sbin and /lib lead into /usr, as on most systems today.
merge_bin() {
  mkdir -p "$1"/usr/{bin,lib,lib64}
  ln -s usr/bin "$1/bin" && ln -s usr/bin "$1/sbin" && ln -s bin "$1/usr/sbin"
  ln -s usr/lib "$1/lib" && ln -s usr/lib64 "$1/lib64"
}

# add_busybox ROOT NAME…
add_busybox() {
  local root="$1" name
  shift
  install -D -m 755 "$(command -v busybox)" "$root/usr/bin/busybox"
  for name in "$@"; do ln -s busybox "$root/usr/bin/$name"; done
}
