import { unlessEmpty } from "../../../lib/index.ts";
import { unknownPath } from "../store/api-error.ts";
import { apiVersionOf, type Kind } from "../store/kinds.ts";
import { acceptedForms, type ApiRequest, type Reply } from "./request.ts";

/** `/api`, `/apis`, `/api/v1`, `/apis/GROUP` and `/apis/GROUP/VERSION`: what is served here. */
export function discover(kinds: Kind[], request: ApiRequest): Reply {
  const [root, ...rest] = request.path.split("/").filter(Boolean);
  const inRoot = kinds.filter((kind) => (kind.group === "") === (root === "api"));
  if (rest.length === 0) {
    const aggregated = acceptedForms(request).find((form) => form.as === "APIGroupDiscoveryList");
    if (aggregated) return aggregatedDiscovery(inRoot, aggregated.version);
    return { code: 200, body: root === "api" ? coreVersions() : groupList(inRoot) };
  }
  if (root === "apis" && rest.length === 1) {
    const inGroup = inRoot.filter((kind) => kind.group === rest[0]);
    if (inGroup.length === 0) throw unknownPath();
    return { code: 200, body: { kind: "APIGroup", apiVersion: "v1", ...groupOf(inGroup) } };
  }
  const served = inRoot.filter((kind) => apiVersionOf(kind) === rest.join("/"));
  if (served.length === 0) throw unknownPath();
  return { code: 200, body: resourceList(served) };
}

function aggregatedDiscovery(kinds: Kind[], version: string): Reply {
  const items = byGroup(kinds).map((group) => ({
    metadata: { name: group[0]?.group ?? "", creationTimestamp: null },
    versions: byVersion(group).map((served) => ({
      version: served[0]?.version,
      resources: served.map(aggregatedResource),
      freshness: "Current",
    })),
  }));
  return {
    code: 200,
    contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    body: {
      kind: "APIGroupDiscoveryList",
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: items.map(({ metadata, versions }) => ({
        metadata: metadata.name === "" ? { creationTimestamp: null } : metadata,
        versions,
      })),
    },
  };
}

const aggregatedResource = (kind: Kind) => ({
  resource: kind.resource,
  responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
  scope: kind.isNamespaced ? "Namespaced" : "Cluster",
  singularResource: kind.singular,
  verbs: kind.verbs,
  shortNames: unlessEmpty(kind.shortNames),
  categories: unlessEmpty(kind.categories),
  subresources: unlessEmpty(
    kind.subresources.map((name) => ({
      subresource: name,
      responseKind: subresourceKind(kind, name),
      verbs: subresourceVerbs(name),
    })),
  ),
});

const resourceList = (kinds: Kind[]) => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: kinds[0] && apiVersionOf(kinds[0]),
  resources: kinds.flatMap((kind) => [
    {
      name: kind.resource,
      singularName: kind.singular,
      namespaced: kind.isNamespaced,
      kind: kind.kind,
      verbs: kind.verbs,
      shortNames: unlessEmpty(kind.shortNames),
      categories: unlessEmpty(kind.categories),
    },
    ...kind.subresources.map((name) => ({
      name: `${kind.resource}/${name}`,
      singularName: "",
      namespaced: kind.isNamespaced,
      ...subresourceKind(kind, name),
      verbs: subresourceVerbs(name),
    })),
  ]),
});

function subresourceKind(kind: Kind, name: string): { group: string; version: string; kind: string } {
  if (name === "scale") return { group: "autoscaling", version: "v1", kind: "Scale" };
  if (name === "eviction") return { group: "policy", version: "v1", kind: "Eviction" };
  if (name === "binding") return { group: "", version: "v1", kind: "Binding" };
  return { group: kind.group, version: kind.version, kind: kind.kind };
}

function subresourceVerbs(name: string): string[] {
  if (name === "log") return ["get"];
  return name === "eviction" || name === "binding" ? ["create"] : ["get", "patch", "update"];
}

const coreVersions = () => ({ kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });

const groupList = (kinds: Kind[]) => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: byGroup(kinds).map(groupOf),
});

function groupOf(kinds: Kind[]) {
  const versions = byVersion(kinds).flatMap(([first]) =>
    first ? [{ groupVersion: apiVersionOf(first), version: first.version }] : [],
  );
  return { name: kinds[0]?.group, versions, preferredVersion: versions[0] };
}

const byGroup = (kinds: Kind[]): Kind[][] => grouped(kinds, (kind) => kind.group);
const byVersion = (kinds: Kind[]): Kind[][] => grouped(kinds, (kind) => kind.version);

function grouped(kinds: Kind[], nameOf: (kind: Kind) => string): Kind[][] {
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) groups.set(nameOf(kind), [...(groups.get(nameOf(kind)) ?? []), kind]);
  return [...groups.values()];
}
