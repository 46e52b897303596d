import { z } from "zod";
import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import { getResource, listResources, resourceKinds } from "./resources.ts";

export interface TalosMachineStatus {
  stage: string;
  isReady: boolean;
  unmet: { name: string; reason: string }[];
}

export interface TalosMember {
  id: string;
  nodeId: string;
  hostname: string;
  machineType: string;
  operatingSystem: string;
  addresses: string[];
}

export interface TalosDisk {
  id: string;
  path: string;
  sizeBytes: number;
  isReadOnly: boolean;
  isCdrom: boolean;
  model: string;
  serial: string;
  transport: string;
}

export interface TalosLink {
  name: string;
  mac: string;
  permanentMac: string;
  kind: string;
  type: string;
  state: string;
}

export interface TalosAddress {
  link: string;
  /** With prefix length. */
  cidr: string;
  family: string;
}

export interface TalosExtension {
  name: string;
  version: string;
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

const machineStatusSpec = z.object({
  stage: text,
  status: z.object({
    ready: flag,
    unmetConditions: z
      .array(z.object({ name: text, reason: text }))
      .nullish()
      .transform((value) => value ?? []),
  }),
});
const memberSpec = z.object({
  nodeId: text,
  hostname: text,
  machineType: text,
  operatingSystem: text,
  addresses: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
});
const diskSpec = z.object({
  dev_path: text,
  size: z.number(),
  readonly: flag,
  cdrom: flag,
  model: text,
  serial: text,
  transport: text,
});
const linkSpec = z.object({
  hardwareAddr: text,
  permanentAddr: text,
  kind: text,
  type: text,
  operationalState: text,
});
const addressSpec = z.object({ address: text, linkName: text, family: text });
const systemDiskSpec = z.object({ diskID: text });
const extensionSpec = z.object({ metadata: z.object({ name: text, version: text }) });

export async function machineStatus(
  caller: Caller,
  options?: TalosCallOptions,
): Promise<TalosMachineStatus | undefined> {
  const resource = await getResource(caller, resourceKinds.machineStatus, "machine", options);
  if (resource === undefined) return undefined;
  const { stage, status } = machineStatusSpec.parse(resource.spec);
  return { stage, isReady: status.ready, unmet: status.unmetConditions };
}

/** The config in force, as one YAML text. */
export async function machineConfig(caller: Caller, options?: TalosCallOptions): Promise<string | undefined> {
  const resource = await getResource(caller, resourceKinds.machineConfig, "v1alpha1", options);
  return typeof resource?.spec === "string" ? resource.spec : undefined;
}

export async function members(caller: Caller, options?: TalosCallOptions): Promise<TalosMember[]> {
  const resources = await listResources(caller, resourceKinds.members, options);
  return resources.map(({ id, spec }) => ({ id, ...memberSpec.parse(spec) }));
}

export async function disks(caller: Caller, options?: TalosCallOptions): Promise<TalosDisk[]> {
  const resources = await listResources(caller, resourceKinds.disks, options);
  return resources.map(({ id, spec }) => {
    const disk = diskSpec.parse(spec);
    return {
      id,
      path: disk.dev_path,
      sizeBytes: disk.size,
      isReadOnly: disk.readonly,
      isCdrom: disk.cdrom,
      model: disk.model,
      serial: disk.serial,
      transport: disk.transport,
    };
  });
}

export async function links(caller: Caller, options?: TalosCallOptions): Promise<TalosLink[]> {
  const resources = await listResources(caller, resourceKinds.links, options);
  return resources.map(({ id, spec }) => {
    const link = linkSpec.parse(spec);
    return {
      name: id,
      mac: link.hardwareAddr,
      permanentMac: link.permanentAddr,
      kind: link.kind,
      type: link.type,
      state: link.operationalState,
    };
  });
}

export async function addresses(caller: Caller, options?: TalosCallOptions): Promise<TalosAddress[]> {
  const resources = await listResources(caller, resourceKinds.addresses, options);
  return resources.map(({ spec }) => {
    const { address, linkName, family } = addressSpec.parse(spec);
    return { link: linkName, cidr: address, family };
  });
}

/** The disk Talos is installed on, e.g. `sda`; undefined while it runs from an ISO. */
export async function systemDisk(caller: Caller, options?: TalosCallOptions): Promise<string | undefined> {
  const resource = await getResource(caller, resourceKinds.systemDisks, "system-disk", options);
  return resource && systemDiskSpec.parse(resource.spec).diskID;
}

/** The system extensions; the one named `schematic` carries the id of the image's schematic as its version. */
export async function extensions(caller: Caller, options?: TalosCallOptions): Promise<TalosExtension[]> {
  const resources = await listResources(caller, resourceKinds.extensions, options);
  return resources.map(({ spec }) => extensionSpec.parse(spec).metadata);
}
