import { SlipwayError } from "../../errors/index.ts";
import { realClock, type Clock, type Dial } from "../../lib/index.ts";
import { kubeAgent } from "./agent.ts";
import { callKube, type Call, type Wire } from "./call.ts";
import { readKubeconfig, type KubeAccess } from "./kubeconfig.ts";
import type { KubeNode } from "./node.ts";
import type { KubeObject, KubeQuery, KubeRef } from "./object.ts";
import { resourcePaths } from "./resource-paths.ts";
import { watchKube, type WatchEvent } from "./watch.ts";

export interface KubeOptions {
  /** The text of a kubeconfig, or what it would say. */
  kubeconfig: string | KubeAccess;
  dial: Dial;
  /** For every single call; 10 s if not given. */
  timeoutMs?: number;
  clock?: Clock;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  items: T[];
  resourceVersion: string;
}

/** An object as one writes it. */
export type Manifest = Pick<KubeObject, "apiVersion" | "kind"> & {
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
};

export interface KubeClient {
  /** `https://host:port` of the API server. */
  readonly server: string;
  /** The server's version, `v1.36.3`. */
  version(signal?: AbortSignal): Promise<string>;
  /** Whether the server says it is ready; no connection at all is an error. */
  isReady(signal?: AbortSignal): Promise<boolean>;
  /** Undefined when it does not exist. */
  get<T extends KubeObject = KubeObject>(ref: KubeRef, signal?: AbortSignal): Promise<T | undefined>;
  list<T extends KubeObject = KubeObject>(query: KubeQuery, signal?: AbortSignal): Promise<KubeList<T>>;
  create<T extends KubeObject = KubeObject>(manifest: Manifest, signal?: AbortSignal): Promise<T>;
  /** Server-side apply as `slipway`: makes the object or merges into it. Others' fields are taken over with `isForced`. */
  apply<T extends KubeObject = KubeObject>(
    manifest: Manifest,
    options?: { isForced?: boolean; signal?: AbortSignal },
  ): Promise<T>;
  /** A JSON merge patch: null removes a field. */
  patch<T extends KubeObject = KubeObject>(ref: KubeRef, patch: unknown, signal?: AbortSignal): Promise<T>;
  /** False when there was nothing to delete. Returns when the server has taken the order, which may be before the end. */
  delete(ref: KubeRef, signal?: AbortSignal): Promise<boolean>;
  watch<T extends KubeObject = KubeObject>(
    query: KubeQuery,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>>;
  nodes(signal?: AbortSignal): Promise<KubeNode[]>;
  deleteNode(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Lets a certificate signing request be signed. */
  approveCertificate(
    name: string,
    why: { reason: string; message: string },
    signal?: AbortSignal,
  ): Promise<void>;
  close(): void;
}

const fieldManager = "slipway";
const pageLength = 500;

/** A client for one cluster. Nothing is sent before the first call. */
export function connectKube(options: KubeOptions): KubeClient {
  const access =
    typeof options.kubeconfig === "string" ? readKubeconfig(options.kubeconfig) : options.kubeconfig;
  const timeoutMs = options.timeoutMs ?? 10_000;
  const wire: Wire = { server: access.server, agent: kubeAgent(access, options.dial, timeoutMs), timeoutMs };
  const clock = options.clock ?? realClock;
  const pathOf = resourcePaths(wire);

  /** A call about one object or kind, its path looked up. */
  async function callAt<T>(place: Place, call: Omit<Call, "path">, subresource = ""): Promise<T> {
    const path = await pathOf(withNamespace(place), call.what, call.signal);
    return (await callKube(wire, { ...call, path: `${path}${subresource}` })) as T;
  }

  async function list<T extends KubeObject>(query: KubeQuery, signal?: AbortSignal): Promise<KubeList<T>> {
    const what = `list ${query.kind} objects`;
    const path = await pathOf(query, what, signal);
    const items: T[] = [];
    let rest: string | undefined;
    let resourceVersion = "";
    do {
      const page = (await callKube(wire, {
        what,
        path,
        query: { ...selectorsOf(query), limit: String(pageLength), continue: rest },
        signal,
      })) as Page<T>;
      // Lists of built-in kinds leave out what every item would repeat.
      for (const item of page.items) items.push({ ...item, apiVersion: query.apiVersion, kind: query.kind });
      rest = page.metadata.continue === "" ? undefined : page.metadata.continue;
      resourceVersion = page.metadata.resourceVersion;
    } while (rest !== undefined);
    return { items, resourceVersion };
  }

  const client: KubeClient = {
    server: access.server,
    async version(signal) {
      const info = (await callKube(wire, { what: "read the version", path: "/version", signal })) as {
        gitVersion: string;
      };
      return info.gitVersion;
    },
    async isReady(signal) {
      try {
        await callKube(wire, { what: "ask whether the API server is ready", path: "/readyz", signal });
        return true;
      } catch (error) {
        if (hasCode(error, "KUBE_SERVER_ERROR")) return false;
        throw error;
      }
    },
    async get<T extends KubeObject>(ref: KubeRef, signal?: AbortSignal) {
      try {
        return await callAt<T>(ref, { what: `read ${named(ref)}`, signal });
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
    list,
    create: (manifest, signal) => {
      const { name: _name, ...place } = refOf(manifest);
      const what = `create ${named(refOf(manifest))}`;
      return callAt(place, { what, method: "POST", query: { fieldManager }, body: manifest, signal });
    },
    apply: (manifest, { isForced = false, signal } = {}) =>
      callAt(refOf(manifest), {
        what: `apply ${named(refOf(manifest))}`,
        method: "PATCH",
        query: { fieldManager, force: String(isForced) },
        body: manifest,
        contentType: "application/apply-patch+yaml",
        signal,
      }),
    patch: (ref, patch, signal) =>
      callAt(ref, {
        what: `change ${named(ref)}`,
        method: "PATCH",
        query: { fieldManager },
        body: patch,
        contentType: "application/merge-patch+json",
        signal,
      }),
    async delete(ref, signal) {
      try {
        await callAt(ref, { what: `delete ${named(ref)}`, method: "DELETE", signal });
        return true;
      } catch (error) {
        if (isAbsence(error)) return false;
        throw error;
      }
    },
    async *watch<T extends KubeObject>(query: KubeQuery, signal: AbortSignal) {
      const what = `watch ${query.kind} objects`;
      const path = await pathOf(query, what, signal);
      const source = { wire, clock, what, path, query: selectorsOf(query), signal };
      yield* watchKube<T>({ ...source, list: () => list<T>(query, signal) });
    },
    nodes: async (signal) => (await list<KubeNode>({ apiVersion: "v1", kind: "Node" }, signal)).items,
    deleteNode: (name, signal) => client.delete({ apiVersion: "v1", kind: "Node", name }, signal),
    async approveCertificate(name, why, signal) {
      const ref = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", name };
      const condition = { type: "Approved", status: "True", ...why };
      const call = {
        what: `approve ${named(ref)}`,
        method: "PATCH" as const,
        query: { fieldManager },
        body: { status: { conditions: [condition] } },
        contentType: "application/merge-patch+json",
        signal,
      };
      await callAt(ref, call, "/approval");
    },
    close: () => wire.agent.destroy(),
  };
  return client;
}

interface Place {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
}

interface Page<T> {
  items: T[];
  metadata: { resourceVersion: string; continue?: string };
}

/** As kubectl: what names no namespace is meant for `default`. Paths of cluster-wide kinds leave it out. */
const withNamespace = (place: Place): Place => ({ ...place, namespace: place.namespace ?? "default" });

const refOf = ({ apiVersion, kind, metadata }: Manifest): KubeRef => ({
  apiVersion,
  kind,
  name: metadata.name,
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
});

const named = (ref: KubeRef): string =>
  `${ref.kind} "${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}"`;

const selectorsOf = (query: KubeQuery) => ({ labelSelector: query.labels, fieldSelector: query.fields });

/** Neither the object nor, sometimes, its kind is there. */
const isAbsence = (error: unknown): boolean =>
  hasCode(error, "KUBE_NOT_FOUND") || hasCode(error, "KUBE_KIND_UNKNOWN");

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof SlipwayError && error.code === code;
