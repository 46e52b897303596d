#!/usr/bin/env bash
# Installs Mermaid from npm, and jsdom, whose document it needs outside of a browser, for the tests that let it read the
# diagrams we write. Both go into a cache outside the repository, because they are many times as large as Slipway; a second
# run finds them there and does nothing.
# Needs: npm. Usage: lab/install-mermaid.sh [VERSION]
set -euo pipefail

version="${1:-12.3.0}"
target="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}/mermaid"
stamp="$target/version"

if [[ "$(cat "$stamp" 2>/dev/null)" == "$version" ]]; then
  echo "$target"
  exit 0
fi

mkdir -p "$target"
echo '{ "private": true }' >"$target/package.json"
npm install --prefix "$target" --ignore-scripts --no-audit --no-fund --silent --save-exact \
  "mermaid@$version" "jsdom@26.1.0" >&2
echo "$version" >"$stamp"
echo "$target"
