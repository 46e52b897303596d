import type { CloudAccount } from "../../../secrets/index.ts";
import { same, type Difference, type FieldChange } from "../../../plan/index.ts";

/** An account in one Proxmox for a cluster's cloud controller manager and storage driver. */
export interface AccountWant {
  cluster: string;
  /** Answers for this Proxmox. */
  host: string;
  /** As those programs call it. */
  url: string;
  region: string;
  /** They know no fingerprints: a certificate that only its fingerprint vouches for is not checked. */
  isInsecure: boolean;
  /** The token is replaced whatever is found. */
  isRotated?: true;
  /** The file no longer asks for one. */
  isUnwanted?: true;
}

export interface AccountHave {
  cluster: string;
  host: string;
  url: string;
  /** Proxmox 8 cannot renew a token, only make another one of the same name. */
  line: 8 | 9;
  /** Undefined: there is no such role. */
  privileges?: string[] | undefined;
  hasRule: boolean;
  hasToken: boolean;
  /** What the file says, and whether Proxmox takes it. The secret stays where it is. */
  kept?: Pick<CloudAccount, "region" | "insecure"> | undefined;
  isKeptGood: boolean;
  /** Nothing is left, neither in Proxmox nor in the file. Told only where none is wanted. */
  isGone?: true | undefined;
}

export const accountUser = (cluster: string): string => `${cluster}-slipway@pve`;
export const accountRole = (cluster: string): string => `slipway-${cluster}`;
export const accountToken = "cloud";
export const accountComment = (cluster: string): string => `Cluster ${cluster}, made by Slipway`;

/**
 * What the cloud controller manager and the storage driver of Proxmox need, and no more: looking at machines and nodes,
 * and making, attaching and removing disks. Proxmox 9 asks for a right of its own to read addresses from the agent.
 */
export const accountRights = (line: 8 | 9): string[] =>
  [
    "Datastore.Allocate",
    "Datastore.AllocateSpace",
    "Datastore.Audit",
    "Sys.Audit",
    "VM.Audit",
    "VM.Config.Disk",
    ...(line === 8 ? [] : ["VM.GuestAgent.Audit"]),
  ].toSorted();

/** Pure. */
export function compareAccount(want: AccountWant, have: AccountHave): Difference {
  if (want.isUnwanted && have.isGone) return same;
  const fields = want.isUnwanted
    ? [{ field: "account", from: "there", to: "removed" }]
    : [...roleFields(have), ...tokenFields(want, have)];
  return fields.length === 0 ? same : { same: false, action: "update", consequence: "hot", fields };
}

function roleFields({ line, privileges, hasRule }: AccountHave): FieldChange[] {
  const wanted = accountRights(line);
  const held = privileges ?? [];
  const lacking = wanted.filter((right) => !held.includes(right));
  const extra = held.filter((right) => !wanted.includes(right));
  const from = [
    ...(lacking.length > 0 ? [`lacks ${lacking.join(", ")}`] : []),
    ...(extra.length > 0 ? [`has ${extra.join(", ")} too`] : []),
  ].join("; ");
  return [
    ...(from === "" ? [] : [{ field: "role", from, to: `exactly ${wanted.length} rights` }]),
    ...(hasRule ? [] : [{ field: "access", from: "not given", to: "given on /" }]),
  ];
}

function tokenFields(want: AccountWant, have: AccountHave): FieldChange[] {
  if (want.isRotated) return [{ field: "token", from: "in use", to: "replaced" }];
  if (!have.hasToken) return [{ field: "token", from: "none", to: "made" }];
  if (!have.kept) return [{ field: "token", from: "its secret is not in the file", to: "replaced" }];
  if (!have.isKeptGood) return [{ field: "token", from: "Proxmox refuses its secret", to: "replaced" }];
  const isOld = have.kept.region !== want.region || have.kept.insecure !== want.isInsecure;
  return isOld ? [{ field: "file", from: "out of date", to: "written again" }] : [];
}
