#!/usr/bin/env bash
# Installs two clients of Redfish that others wrote, DMTF's redfish and OpenStack's sushy, into a Python environment of their own.
# A second run finds them and does nothing. Needs: python3 with venv, PyPI or a mirror of it. Usage: lab/install-redfish.sh
set -euo pipefail

cache="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}"
folder="$cache/redfish"
python="$folder/bin/python"

if ! "$python" -c "import redfish, sushy" 2>/dev/null; then
  rm -rf "$folder"
  mkdir -p "$cache"
  python3 -m venv "$folder"
  "$python" -m pip install --quiet "redfish==3.4.2" "sushy==5.10.0"
fi
echo "$python"
