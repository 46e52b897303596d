#!/usr/bin/env bash
# Installs Debian's Chromium and a font for the tests that look at the dashboard with it, and what makes their pictures small. What is there already is left as it is.
# Needs: root on Debian. Usage: lab/install-chromium.sh
set -euo pipefail

if [[ ! -x /usr/bin/chromium || ! -x /usr/bin/pngquant ]]; then
  apt-get update -qq >&2
  apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core pngquant >&2
fi
echo /usr/bin/chromium
