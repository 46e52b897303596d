import { SlipwayError } from "../../errors/index.ts";
import { callKube, type Wire } from "./call.ts";
import { kindUnknown } from "./errors.ts";

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

export interface ResourcePlace {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
}

/** Turns kinds into paths, as the server itself describes them; each API version is asked for once. */
export function resourcePaths(wire: Wire) {
  const known = new Map<string, ResourceList>();

  async function ask(apiVersion: string, what: string, signal?: AbortSignal): Promise<ResourceList> {
    try {
      return (await callKube(wire, { what, path: rootOf(apiVersion), signal })) as ResourceList;
    } catch (error) {
      if (error instanceof SlipwayError && error.code === "KUBE_NOT_FOUND") return { resources: [] };
      throw error;
    }
  }

  return async function pathOf(place: ResourcePlace, what: string, signal?: AbortSignal): Promise<string> {
    const { apiVersion, kind, namespace, name } = place;
    const find = (list: ResourceList) =>
      list.resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
    const remembered = known.get(apiVersion);
    const fresh = remembered && find(remembered) ? remembered : await ask(apiVersion, what, signal);
    const resource = find(fresh);
    if (!resource) throw kindUnknown({ what, server: wire.server }, apiVersion, kind);
    known.set(apiVersion, fresh);
    const inNamespace =
      resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    const item = name === undefined ? "" : `/${encodeURIComponent(name)}`;
    return `${rootOf(apiVersion)}${inNamespace}/${resource.name}${item}`;
  };
}

const rootOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
