import { SlipwayError } from "../../../errors/index.ts";
import { callKube, type Wire } from "./call.ts";

/** Where a kind is served. */
export interface KindPlace {
  apiVersion: string;
  kind: string;
  /** The plural in paths: `deployments`. */
  resource: string;
  isNamespaced: boolean;
}

/** A kind as the cluster describes it. */
export interface ServedKind extends KindPlace {
  verbs: string[];
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface GroupList {
  items: {
    metadata: { name?: string };
    versions: { version: string; freshness?: string; resources?: AggregatedResource[] }[];
  }[];
}

interface AggregatedResource {
  resource: string;
  responseKind?: { kind: string };
  scope: string;
  verbs: string[];
}

interface VersionList {
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}

/**
 * Everything the cluster serves, in two questions; from servers that do not answer in that form, one per version.
 * A group whose server is down right now is left out: the others must not suffer for it.
 */
export async function discoverKinds(wire: Wire, what: string, signal?: AbortSignal): Promise<ServedKind[]> {
  const ask = (path: string) =>
    callKube(wire, { what, path, accept: `${aggregated},application/json`, signal });
  const answers = await Promise.all(["/api", "/apis"].map(ask));
  if (answers.every(isGroupList)) return answers.flatMap(kindsOfGroups);
  const versions = answers.flatMap(plainVersions);
  const all = await Promise.all(
    versions.map((version) => discoverVersion(wire, version, what, signal).catch(unlessRefused)),
  );
  return all.flat();
}

/** The kinds of one group and version; none when the cluster does not know it. */
export async function discoverVersion(
  wire: Wire,
  apiVersion: string,
  what: string,
  signal?: AbortSignal,
): Promise<ServedKind[]> {
  const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  try {
    const { resources } = (await callKube(wire, { what, path, signal })) as VersionList;
    return resources
      .filter(({ name }) => !name.includes("/"))
      .map(({ name, kind, namespaced, verbs }) => ({
        apiVersion,
        kind,
        resource: name,
        isNamespaced: namespaced,
        verbs,
      }));
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "KUBE_NOT_FOUND") return [];
    throw error;
  }
}

const isGroupList = (answer: unknown): answer is GroupList =>
  (answer as { kind?: string }).kind === "APIGroupDiscoveryList";

const kindsOfGroups = ({ items }: GroupList): ServedKind[] =>
  items.flatMap(({ metadata, versions }) =>
    versions
      .filter(({ freshness }) => freshness !== "Stale")
      .flatMap(({ version, resources = [] }) => {
        const apiVersion = metadata.name ? `${metadata.name}/${version}` : version;
        return resources.flatMap(({ resource, responseKind, scope, verbs }) =>
          responseKind
            ? [{ apiVersion, kind: responseKind.kind, resource, isNamespaced: scope === "Namespaced", verbs }]
            : [],
        );
      }),
  );

/** `/api` lists versions, `/apis` groups with theirs. */
function plainVersions(answer: unknown): string[] {
  const { versions, groups } = answer as {
    versions?: string[];
    groups?: { versions: { groupVersion: string }[] }[];
  };
  return [
    ...(versions ?? []),
    ...(groups ?? []).flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion)),
  ];
}

function unlessRefused(error: unknown): ServedKind[] {
  if (error instanceof SlipwayError && error.code === "KUBE_SERVER_ERROR") return [];
  throw error;
}
