import { timestampMs } from "@bufbuild/protobuf/wkt";
import { parse } from "yaml";
import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import { hasCode, watchFailed } from "../errors.ts";
import { EventType, State, type Resource } from "../gen/cosi_pb.ts";

/** Where a resource lives: its namespace and the exact type string. */
export interface ResourceKind {
  namespace: string;
  type: string;
}

/** What a node says about itself. `spec` is its YAML, parsed; each type has its own shape. */
export interface TalosResource {
  id: string;
  version: string;
  phase: string;
  /** When it was last changed, by the clock of the node; 0 where it does not say. */
  updatedMs: number;
  spec: unknown;
}

export interface TalosResourceEvent {
  type: "created" | "updated" | "destroyed" | "bootstrapped";
  /** Absent when the existing resources have all been told. */
  resource?: TalosResource | undefined;
}

export interface ListOptions extends TalosCallOptions {
  /** A regular expression; the node leaves out whose id does not match. */
  idPattern?: string;
}

/** The kinds Slipway reads. */
export const resourceKinds = {
  machineStatus: { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev" },
  machineConfig: { namespace: "config", type: "MachineConfigs.config.talos.dev" },
  members: { namespace: "cluster", type: "Members.cluster.talos.dev" },
  addresses: { namespace: "network", type: "AddressStatuses.net.talos.dev" },
  bootId: { namespace: "runtime", type: "BootIDs.runtime.talos.dev" },
  hostname: { namespace: "network", type: "HostnameStatuses.net.talos.dev" },
  links: { namespace: "network", type: "LinkStatuses.net.talos.dev" },
  disks: { namespace: "runtime", type: "Disks.block.talos.dev" },
  systemDisks: { namespace: "runtime", type: "SystemDisks.block.talos.dev" },
  extensions: { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" },
  manifests: { namespace: "controlplane", type: "Manifests.kubernetes.talos.dev" },
  staticPods: { namespace: "k8s", type: "StaticPods.kubernetes.talos.dev" },
  discoveredVolumes: { namespace: "runtime", type: "DiscoveredVolumes.block.talos.dev" },
  processors: { namespace: "hardware", type: "Processors.hardware.talos.dev" },
  systemInformation: { namespace: "hardware", type: "SystemInformations.hardware.talos.dev" },
} satisfies Record<string, ResourceKind>;

/** The resource, or undefined when the node does not have it. */
export async function getResource(
  caller: Caller,
  kind: ResourceKind,
  id: string,
  options: TalosCallOptions = {},
): Promise<TalosResource | undefined> {
  try {
    const { resource } = await caller.call(State, "Get", options, (client, o) =>
      client.get({ ...kind, id }, o),
    );
    return resource && readResource(resource);
  } catch (error) {
    if (hasCode(error, "TALOS_NOT_FOUND")) return undefined;
    throw error;
  }
}

export function listResources(
  caller: Caller,
  kind: ResourceKind,
  options: ListOptions = {},
): Promise<TalosResource[]> {
  const { idPattern } = options;
  const request = {
    ...kind,
    options: idPattern === undefined ? undefined : { idQuery: { regexp: idPattern } },
  };
  return caller.call(State, "List", options, async (client, o) => {
    const found: TalosResource[] = [];
    for await (const { resource } of client.list(request, o)) {
      if (resource) found.push(readResource(resource));
    }
    return found;
  });
}

const eventNames = new Map<EventType, TalosResourceEvent["type"]>([
  [EventType.CREATED, "created"],
  [EventType.UPDATED, "updated"],
  [EventType.DESTROYED, "destroyed"],
  [EventType.BOOTSTRAPPED, "bootstrapped"],
]);

/** First what exists, then every change. With an id, only that one. */
export async function* watchResources(
  caller: Caller,
  kind: ResourceKind,
  id: string | undefined,
  options: TalosCallOptions = {},
): AsyncGenerator<TalosResourceEvent> {
  const request = {
    ...kind,
    id,
    apiVersion: 1,
    options: { bootstrapContents: id === undefined },
  };
  const responses = caller.stream(State, "Watch", { ...options, mayBeQuiet: true }, (client, o) =>
    client.watch(request, o),
  );
  for await (const { event } of responses) {
    for (const { eventType, resource, error } of event) {
      if (eventType === EventType.ERRORED) {
        throw watchFailed({ address: caller.address, type: kind.type, why: error ?? "" });
      }
      const type = eventNames.get(eventType);
      if (type === undefined) continue;
      const hasContent = resource !== undefined && type !== "bootstrapped";
      yield { type, resource: hasContent ? readResource(resource) : undefined };
    }
  }
}

const readResource = (resource: Resource): TalosResource => ({
  id: resource.metadata?.id ?? "",
  version: resource.metadata?.version ?? "",
  phase: resource.metadata?.phase ?? "",
  updatedMs: resource.metadata?.updated ? timestampMs(resource.metadata.updated) : 0,
  spec: readSpec(resource.spec?.yamlSpec ?? ""),
});

/** Short texts that were read lately: a thousand nodes say the same of their extensions. */
const readLately = new Map<string, unknown>();
const mostRead = 100;
const longestKept = 2_000;

function readSpec(text: string): unknown {
  if (text.length > longestKept) return parse(text);
  const spec: unknown = readLately.get(text) ?? parse(text);
  if (readLately.size >= mostRead) readLately.clear();
  readLately.set(text, spec);
  return structuredClone(spec);
}
