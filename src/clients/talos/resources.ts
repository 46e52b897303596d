import { parse } from "yaml";
import { SlipwayError } from "../../errors/index.ts";
import type { Caller, TalosCallOptions } from "./caller.ts";
import { EventType, State, type Resource } from "./gen/cosi_pb.ts";

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
  spec: unknown;
}

export interface TalosResourceEvent {
  type: "created" | "updated" | "destroyed" | "bootstrapped";
  /** Absent when the existing resources have all been told. */
  resource?: TalosResource;
}

/** The kinds Slipway reads. */
export const resourceKinds = {
  machineStatus: { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev" },
  machineConfig: { namespace: "config", type: "MachineConfigs.config.talos.dev" },
  members: { namespace: "cluster", type: "Members.cluster.talos.dev" },
  links: { namespace: "network", type: "LinkStatuses.net.talos.dev" },
  disks: { namespace: "runtime", type: "Disks.block.talos.dev" },
  systemDisks: { namespace: "runtime", type: "SystemDisks.block.talos.dev" },
  extensions: { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" },
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
    if (error instanceof SlipwayError && error.code === "TALOS_NOT_FOUND") return undefined;
    throw error;
  }
}

export function listResources(
  caller: Caller,
  kind: ResourceKind,
  options: TalosCallOptions = {},
): Promise<TalosResource[]> {
  return caller.call(State, "List", options, async (client, o) => {
    const found: TalosResource[] = [];
    for await (const { resource } of client.list(kind, o)) {
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
    ...(id !== undefined && { id }),
    apiVersion: 1,
    options: { bootstrapContents: id === undefined },
  };
  const responses = caller.stream(State, "Watch", options, (client, o) => client.watch(request, o));
  for await (const { event } of responses) {
    for (const { eventType, resource } of event) {
      const type = eventNames.get(eventType);
      if (type === undefined) continue;
      const hasContent = resource !== undefined && type !== "bootstrapped";
      yield { type, ...(hasContent && { resource: readResource(resource) }) };
    }
  }
}

const readResource = (resource: Resource): TalosResource => ({
  id: resource.metadata?.id ?? "",
  version: resource.metadata?.version ?? "",
  phase: resource.metadata?.phase ?? "",
  spec: parse(resource.spec?.yamlSpec ?? "") as unknown,
});
