import type { Processor, StorageInfo, Volume } from "../../../clients/proxmox/index.ts";
import type { OwnSurvey, ReadContext } from "../../../plan/index.ts";
import type { Role } from "../../../spec/index.ts";
import type { Found } from "../machine/machine-config.ts";
import type { MachineHave, MachineKey } from "../machine/machine-want.ts";

/**
 * What a survey of Proxmox hosts saw in detail, for the plan that is made from it at once: a thousand machines are not
 * asked one by one. Plain data that travels with the survey.
 */
export interface ProxmoxSeen {
  atMs: number;
  /** Machines with our mark, by `machineKey`. */
  machines: Record<string, MachineHave>;
  templates: OwnedTemplate[];
  /** VMIDs in use by anybody, per name of a host in the file. */
  taken: Record<string, number[]>;
  /** Per name of a host in the file. */
  hosts: Record<string, HostSeen>;
  /** Clusters whose account on Proxmox is kept in a file here. */
  accounts: string[];
}

/** A template that carries our mark. Its key says what it was made from. */
export interface OwnedTemplate {
  host: string;
  /** The Proxmox node it is on. */
  on: string;
  vmid: number;
  role: Role;
  key: string;
  /** File name of the image it was made from. */
  image: string;
  /** Machines, also of others, whose disks share its blocks and fall with it. */
  clones: number[];
  /** Somebody has told Proxmox to refuse its removal. */
  isProtected?: true;
}

/** One host, as checks and images ask about it right after a survey. */
export interface HostSeen {
  storages: StorageInfo[];
  processor: Processor;
  /** Per storage and content; what a storage would not tell is missing. */
  volumes: Record<string, Volume[]>;
}

export const volumesKey = (storage: string, content: string): string => `${storage} ${content}`;
export const machineKey = (host: string, vmid: number): string => `${host}/${vmid}`;

const kind = "proxmox";
const freshMs = 3_000;
/** Describing and comparing a thousand hosts takes longer than ten, and must not end in asking each machine again. */
const freshMsPerHost = 100;

export const ownSurvey = (seen: ProxmoxSeen): OwnSurvey => ({ [kind]: seen });

/** Undefined: no Proxmox was asked. */
export const seenIn = (own: OwnSurvey | undefined): ProxmoxSeen | undefined =>
  own?.[kind] as ProxmoxSeen | undefined;

/** Templates of ours. */
export const surveyedTemplates = ({ own }: { own?: OwnSurvey | undefined }): OwnedTemplate[] =>
  seenIn(own)?.templates ?? [];

/** A machine as the survey saw it a moment ago. Undefined: ask. */
export function recallMachine(ctx: Pick<ReadContext, "seen" | "clock">, key: MachineKey): Found | undefined {
  const seen = freshIn(ctx);
  const taken = seen?.taken[key.host];
  if (!seen || !taken) return undefined;
  const have = seen.machines[machineKey(key.host, key.vmid)];
  if (have) return isSame(have, key) ? { state: "ours", have } : undefined;
  return taken.includes(key.vmid) ? undefined : { state: "absent" };
}

/** What a host told of itself a moment ago. Undefined: ask. */
export const recallHost = (ctx: Pick<ReadContext, "seen" | "clock">, host: string): HostSeen | undefined =>
  freshIn(ctx)?.hosts[host];

function freshIn({ seen: own, clock }: Pick<ReadContext, "seen" | "clock">): ProxmoxSeen | undefined {
  const seen = seenIn(own);
  if (!seen) return undefined;
  const limitMs = freshMs + freshMsPerHost * Object.keys(seen.hosts).length;
  return clock.now() - seen.atMs <= limitMs ? seen : undefined;
}

export const isSame = (have: MachineKey, key: MachineKey): boolean =>
  have.cluster === key.cluster && have.node === key.node;
