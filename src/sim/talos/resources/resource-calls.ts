import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";

import { stringify } from "yaml";
import { timestampAt } from "../api/timestamp.ts";
import { cosiApi } from "../../../clients/talos/index.ts";
import { isAdmin } from "../api/caller.ts";
import { callerOf, targetOf, whileRunning } from "../api/targets.ts";
import { nodeResources } from "./node-resources.ts";
import type { NodeResource } from "./node-resource.ts";
import type { TalosNode } from "../node.ts";
import { resourceKindRows } from "./resource-kinds.ts";

const { EventType } = cosiApi;

/** The read half of the resource API; writing is refused on real nodes too. */
export const resourceCalls: ServiceImpl<typeof cosiApi.State> = {
  get(request, context) {
    const node = allowed(request, context);
    const found = ofKind(node, request).find((resource) => resource.id === request.id);
    if (found === undefined) {
      throw new ConnectError(
        `resource ${request.type}(${request.namespace}/${request.id}@undefined) doesn't exist`,
        Code.NotFound,
      );
    }
    return { resource: toMessage(node, request.namespace, found) };
  },

  async *list(request, context) {
    const node = allowed(request, context);
    const pattern = request.options?.idQuery?.regexp;
    for (const resource of ofKind(node, request)) {
      if (pattern && !new RegExp(pattern).test(resource.id)) continue;
      yield { resource: toMessage(node, request.namespace, resource) };
    }
  },

  async *watch(request, context) {
    const node = allowed(request, context);
    yield* whileRunning(node, context, (signal) => watch(node, request, signal));
  },
};

async function* watch(node: TalosNode, request: cosiApi.WatchRequest, signal: AbortSignal) {
  const wanted = () =>
    ofKind(node, request).filter(({ id }) => request.id === undefined || id === request.id);
  const message = (resource: NodeResource) => toMessage(node, request.namespace, resource);
  const first = wanted();
  // An empty answer says that the watch stands; talosctl takes the first one for it whatever is inside.
  yield { event: [] };
  let known = byId(first);
  if (request.id !== undefined && first.length === 0) {
    const gone = { type: request.type, id: request.id, spec: {} };
    yield { event: [{ eventType: EventType.DESTROYED, resource: message(gone) }] };
  }
  if (request.id !== undefined || request.options?.bootstrapContents === true) {
    for (const resource of first) {
      yield { event: [{ eventType: EventType.CREATED, resource: message(resource) }] };
    }
    if (request.id === undefined) yield { event: [{ eventType: EventType.BOOTSTRAPPED }] };
  }
  for (;;) {
    const before = known;
    let now = [...before.values()];
    const hasChanged = () => {
      now = wanted();
      return differences(before, now).length > 0;
    };
    const isOver = await untilChange(node, hasChanged, signal);
    if (isOver) return;
    known = byId(now);
    for (const { eventType, resource } of differences(before, now)) {
      yield { event: [{ eventType, resource: message(resource) }] };
    }
  }
}

const byId = (resources: NodeResource[]): Map<string, NodeResource> =>
  new Map(resources.map((resource) => [resource.id, resource]));

interface ResourceChange {
  eventType: cosiApi.EventType;
  resource: NodeResource;
}

function differences(before: Map<string, NodeResource>, now: NodeResource[]): ResourceChange[] {
  const ids = new Set(now.map((resource) => resource.id));
  const written = now.flatMap((resource): ResourceChange[] => {
    const old = before.get(resource.id);
    if (old === undefined) return [{ eventType: EventType.CREATED, resource }];
    return JSON.stringify(old.spec) === JSON.stringify(resource.spec)
      ? []
      : [{ eventType: EventType.UPDATED, resource }];
  });
  const gone = [...before.values()].filter((resource) => !ids.has(resource.id));
  return [...written, ...gone.map((resource) => ({ eventType: EventType.DESTROYED, resource }))];
}

/** True when the caller has left. Changes of the cluster count too: members come and go there. */
function untilChange(node: TalosNode, hasChanged: () => boolean, signal: AbortSignal): Promise<boolean> {
  const stop = node.cluster?.signals.listen(() => node.signals.notify());
  return node.signals
    .until(hasChanged, signal)
    .then(
      () => false,
      () => true,
    )
    .finally(() => stop?.());
}

interface KindRequest {
  namespace: string;
  type: string;
}

function allowed(request: KindRequest, context: HandlerContext): TalosNode {
  const node = targetOf(context);
  const kinds = resourceKindRows.filter(({ since }) => since <= node.minor);
  const kind = kinds.find(({ type }) => type === request.type);
  if (!kinds.some(({ namespace }) => namespace === request.namespace))
    throw unsupported("namespace", request.namespace);
  if (kind?.namespace !== request.namespace) throw unsupported("resource type", request.type);
  if (kind.isSensitive && !isAdmin(callerOf(context))) {
    throw new ConnectError("not authorized", Code.PermissionDenied);
  }
  return node;
}

const unsupported = (what: string, name: string): ConnectError =>
  new ConnectError(`${what} "${name}" is not supported`, Code.PermissionDenied);

const ofKind = (node: TalosNode, request: KindRequest): NodeResource[] => nodeResources(node, request.type);

function toMessage(node: TalosNode, namespace: string, resource: NodeResource) {
  const stamp = timestampAt(node.bootedAt);
  return {
    metadata: {
      namespace,
      type: resource.type,
      id: resource.id,
      version: "1",
      phase: "running",
      created: stamp,
      updated: resource.updatedAt === undefined ? stamp : timestampAt(resource.updatedAt),
      annotations: resource.annotations ?? {},
    },
    spec: {
      yamlSpec: stringify(resource.spec, { lineWidth: 0 }),
      protoSpec: resource.proto ?? new Uint8Array(),
    },
  };
}
