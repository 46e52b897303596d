#!/usr/bin/env bash
# Lays the source of Kubernetes out in an empty folder so that programs of it can be built there with the Go toolchain.
# Usage: lab/prepare-kubernetes-source.sh VERSION FOLDER
set -euo pipefail

version="$1"
folder="$2"

field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" | head -n 1; }

module="$(cd "$folder" && go mod download -json "k8s.io/kubernetes@$version")"
cp -R "$(field Dir <<<"$module")/." "$folder"
chmod -R u+w "$folder"
cd "$folder"

# The workspace and the replace lines name folders ("staging") that the module's archive does not hold; each of them
# is published as a module of its own, v1.36.3 as v0.36.3. The samples are not, and nothing we build needs them.
rm -rf go.work go.work.sum vendor
published="v0.${version#v1.}"
edits=()
while read -r staged; do
  case "$staged" in
    k8s.io/sample-*) edits+=("-dropreplace=$staged" "-droprequire=$staged") ;;
    *) edits+=("-replace=$staged=$staged@$published") ;;
  esac
done < <(sed -n 's#^[[:space:]]*\(k8s\.io/[a-z0-9-]*\) => \./staging/.*#\1#p' go.mod)
go mod edit "${edits[@]}"

# Without these a program calls itself v0.0.0-master, and helm and kubectl go by what a server says.
# The minor version is read from the same place by the feature gates. The last line is what the caller links with.
about="k8s.io/component-base/version"
minor="${version#v1.}"
echo "-s -w -X $about.gitVersion=$version -X $about.gitMajor=1 -X $about.gitMinor=${minor%%.*} -X $about.gitTreeState=clean"
