#!/usr/bin/env bash
# Installs Ansible with its collections, and proxmoxer, from the distribution's packages.
# A second run finds them and does nothing. Needs: apt, as root. Usage: lab/install-ansible.sh
set -euo pipefail

# The system's own Python: another one on PATH does not see these packages.
python=/usr/bin/python3
# proxmoxer only recommends the library it speaks HTTPS with.
packages=(ansible python3-proxmoxer python3-requests)

is_complete() { [[ -x /usr/bin/ansible-playbook ]] && "$python" -c "import proxmoxer, requests" 2>/dev/null; }

if ! is_complete; then
  if ! command -v apt-get >/dev/null || ((EUID != 0)); then
    echo "install-ansible: needs apt-get and root to install ${packages[*]}" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi
echo "/usr/bin/ansible-playbook"
