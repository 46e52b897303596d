import { SlipwayError } from "../../errors/index.ts";
import { CallTrace, type Clock, type Dial } from "../../lib/index.ts";
import { kubeAgent } from "./wire/agent.ts";
import { callKube, type Call, type Wire } from "./wire/call.ts";
import { discoverKinds, type ServedKind } from "./wire/discovery.ts";
import { readKubeconfig, type KubeAccess } from "./kubeconfig.ts";
import type { KubeSigningRequest } from "./kinds/cluster.ts";
import { listPages, selectorsOf, type KubeList } from "./wire/list-pages.ts";
import type { KubeNode } from "./kinds/node.ts";
import {
  named,
  refOf,
  type KubeObject,
  type KubeQuery,
  type KubeRef,
  type Manifest,
} from "./kinds/object.ts";
import { podCalls, type PodCalls } from "./wire/pod-calls.ts";
import { resourcePaths } from "./wire/resource-paths.ts";
import { watchKube, type WatchEvent, type WatchReaders } from "./wire/watch.ts";

export interface KubeOptions {
  /** The text of a kubeconfig, or what it would say. */
  kubeconfig: string | KubeAccess;
  dial: Dial;
  /** Asked for before each call, in place of the token of the kubeconfig: those of pods are renewed every hour. */
  readToken?: (() => string) | undefined;
  /** For every single call that reads; 10 s if not given. */
  timeoutMs?: number;
  /** For every single call that changes something; 35 s if not given. */
  writeTimeoutMs?: number;
  clock: Clock;
  /** Where calls are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  /** Told what the server lets pass but warns of. */
  onWarning?: (text: string) => void;
}

export interface ApplyOptions {
  /** Takes over fields that others manage. */
  isForced?: boolean;
  /** Everything is checked, nothing is kept. */
  isDryRun?: boolean;
  /** Whose wishes these are; `slipway` if not given. */
  fieldManager?: string;
  /** `status`, for kinds that have it apart. */
  subresource?: string;
  signal?: AbortSignal | undefined;
}

export interface PatchOptions {
  /** `status`, for kinds that have it apart. */
  subresource?: string;
  signal?: AbortSignal | undefined;
}

export interface DeleteOptions {
  /** What becomes of the objects it owns: later (Background), first (Foreground), or nothing (Orphan). */
  propagation?: "Background" | "Foreground" | "Orphan";
  /** Only the object that was looked at, not one of the same name made since. */
  uid?: string;
  resourceVersion?: string;
  graceSeconds?: number;
  isDryRun?: boolean;
  signal?: AbortSignal | undefined;
}

export interface KubeClient extends PodCalls {
  /** `https://host:port` of the API server. */
  readonly server: string;
  /** The server's version, `v1.36.3`. */
  version(signal?: AbortSignal): Promise<string>;
  /** Whether the server says it is ready; no connection at all is an error. */
  isReady(signal?: AbortSignal): Promise<boolean>;
  /** Everything the cluster serves now. */
  kinds(signal?: AbortSignal): Promise<ServedKind[]>;
  /** Undefined when it does not exist. */
  get<T extends KubeObject = KubeObject>(ref: KubeRef, signal?: AbortSignal): Promise<T | undefined>;
  list<T extends KubeObject = KubeObject>(query: KubeQuery, signal?: AbortSignal): Promise<KubeList<T>>;
  create<T extends KubeObject = KubeObject>(manifest: Manifest, signal?: AbortSignal): Promise<T>;
  /** Server-side apply: makes the object or merges into it. Unknown fields are refused, and so are others' fields. */
  apply<T extends KubeObject = KubeObject>(manifest: Manifest, options?: ApplyOptions): Promise<T>;
  /** A JSON merge patch: null removes a field. */
  patch<T extends KubeObject = KubeObject>(ref: KubeRef, patch: unknown, options?: PatchOptions): Promise<T>;
  /** False when there was nothing to delete. Returns when the server has taken the order, which may be before the end. */
  delete(ref: KubeRef, options?: DeleteOptions): Promise<boolean>;
  watch<T extends KubeObject = KubeObject>(
    query: KubeQuery,
    signal: AbortSignal,
    readers?: WatchReaders<T>,
  ): AsyncGenerator<WatchEvent<T>>;
  nodes(signal?: AbortSignal): Promise<KubeNode[]>;
  deleteNode(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Lets this very signing request be signed, not one of the same name made since. */
  approveCertificate(
    request: KubeSigningRequest,
    why: { reason: string; message: string },
    signal?: AbortSignal,
  ): Promise<void>;
  /** Whether the user of this client may do something. */
  mayI(question: AccessQuestion, signal?: AbortSignal): Promise<AccessAnswer>;
  close(): void;
}

const ours = "slipway";
/** After which a connection that nobody uses is closed. */
const idleMs = 60_000;
/** A webhook may take this long before the server gives up on it; only then does it say whose fault it is. */
const longestWebhookMs = 30_000;

/** A client for one cluster. Nothing is sent before the first call. */
export function connectKube(options: KubeOptions): KubeClient {
  const access =
    typeof options.kubeconfig === "string" ? readKubeconfig(options.kubeconfig) : options.kubeconfig;
  const timeoutMs = options.timeoutMs ?? 10_000;
  const wire: Wire = {
    server: access.server,
    agent: kubeAgent(access, options.dial, options.clock, { timeoutMs, idleMs }),
    clock: options.clock,
    calls: options.calls ?? new CallTrace(),
    timeoutMs,
    writeTimeoutMs: options.writeTimeoutMs ?? longestWebhookMs + 5_000,
    readToken: options.readToken ?? (() => access.token),
    onWarning: options.onWarning,
  };
  const pathOf = resourcePaths(wire);

  /** A call about one object or kind, its path looked up. */
  async function callAt<T>(place: Place, call: Omit<Call, "path">, subresource?: string): Promise<T> {
    const path = await pathOf(withNamespace(place), call.what, call.signal);
    return (await callKube(wire, {
      ...call,
      path: subresource === undefined ? path : `${path}/${subresource}`,
    })) as T;
  }

  async function list<T extends KubeObject>(query: KubeQuery, signal?: AbortSignal): Promise<KubeList<T>> {
    const what = `list ${query.kind} objects`;
    return listPages<T>(wire, { what, path: await pathOf(query, what, signal), query, signal });
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
    kinds: (signal) => discoverKinds(wire, "ask what the cluster serves", signal),
    get: <T extends KubeObject>(ref: KubeRef, signal?: AbortSignal) =>
      unlessAbsent(() => callAt<T>(ref, { what: `read ${named(ref)}`, signal })),
    list,
    create: (manifest, signal) => {
      const { name: _name, ...place } = refOf(manifest);
      const query = { fieldManager: ours, fieldValidation: "Strict" };
      const what = `create ${named(refOf(manifest))}`;
      return callAt(place, { what, method: "POST", query, body: manifest, signal });
    },
    apply: (
      manifest,
      { isForced = false, isDryRun = false, fieldManager = ours, subresource, signal } = {},
    ) => {
      const call = {
        what: `apply ${named(refOf(manifest))}`,
        method: "PATCH" as const,
        query: {
          fieldManager,
          force: String(isForced),
          fieldValidation: "Strict",
          dryRun: isDryRun ? "All" : undefined,
        },
        body: manifest,
        contentType: "application/apply-patch+yaml",
        signal,
      };
      return callAt(refOf(manifest), call, subresource);
    },
    patch: (ref, patch, { subresource, signal } = {}) => {
      const query = { fieldManager: ours };
      const contentType = "application/merge-patch+json";
      const what = `change ${named(ref)}`;
      return callAt(ref, { what, method: "PATCH", query, body: patch, contentType, signal }, subresource);
    },
    async delete(ref, deletion = {}) {
      const call = { what: `delete ${named(ref)}`, method: "DELETE" as const, signal: deletion.signal };
      const body = { apiVersion: "v1", kind: "DeleteOptions", ...deleteBody(deletion) };
      return (await unlessAbsent(() => callAt(ref, { ...call, body }))) !== undefined;
    },
    async *watch<T extends KubeObject>(query: KubeQuery, signal: AbortSignal, readers?: WatchReaders<T>) {
      const what = `watch ${query.kind} objects`;
      const path = await pathOf(query, what, signal);
      const source = { wire, clock: wire.clock, what, path, query: selectorsOf(query), signal };
      yield* watchKube<T>({ ...source, ...readers, list: () => list<T>(query, signal) });
    },
    nodes: async (signal) => (await list<KubeNode>({ apiVersion: "v1", kind: "Node" }, signal)).items,
    deleteNode: (name, signal) => client.delete({ apiVersion: "v1", kind: "Node", name }, { signal }),
    async approveCertificate(request, why, signal) {
      const { uid } = request.metadata;
      const conditions = [
        ...(request.status?.conditions ?? []),
        { type: "Approved", status: "True", ...why },
      ];
      const patch = { metadata: { uid }, status: { conditions } };
      await client.patch(refOf(request), patch, { subresource: "approval", signal });
    },
    mayI: (question, signal) => askAccess(wire, question, signal),
    ...podCalls(wire),
    close: () => wire.agent.destroy(),
  };
  return client;
}

type Place = Omit<KubeRef, "name"> & { name?: string };

/** As kubectl: what names no namespace is meant for `default`. Paths of cluster-wide kinds leave it out. */
const withNamespace = (place: Place): Place => ({ ...place, namespace: place.namespace ?? "default" });

const deleteBody = ({ propagation, uid, resourceVersion, graceSeconds, isDryRun }: DeleteOptions) => ({
  propagationPolicy: propagation,
  gracePeriodSeconds: graceSeconds,
  dryRun: isDryRun === true ? ["All"] : undefined,
  ...((uid !== undefined || resourceVersion !== undefined) && {
    preconditions: {
      uid,
      resourceVersion,
    },
  }),
});

/** Undefined when neither the object nor, sometimes, its kind is there. */
async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, "KUBE_NOT_FOUND") || hasCode(error, "KUBE_KIND_UNKNOWN")) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof SlipwayError && error.code === code;

/** What one would like to do: `create deployments.apps in kube-system`. */
export interface AccessQuestion {
  verb: string;
  /** Empty for the core group. */
  group?: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

export interface AccessAnswer {
  isAllowed: boolean;
  reason: string;
}

/** Asks the server before the deed: a missing right found in preflight is cheaper than one found half-way. */
async function askAccess(wire: Wire, question: AccessQuestion, signal?: AbortSignal): Promise<AccessAnswer> {
  const review = (await callKube(wire, {
    what: `ask whether we may ${question.verb} ${question.resource}`,
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: question },
    },
    signal,
  })) as { status?: { allowed?: boolean; reason?: string; evaluationError?: string } };
  const { allowed = false, reason, evaluationError } = review.status ?? {};
  return { isAllowed: allowed, reason: reason || evaluationError || "" };
}
