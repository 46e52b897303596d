import type { Counted } from "./fold.ts";
import type { Machine, MachineRole, NetworkFacts } from "./model.ts";

/** How facts are written, the same in every format. */

/** `worker`, or `40 workers` where one box stands for them. */
export function roleText({ role, count }: { role: MachineRole } & Counted): string {
  const noun = role === "control-plane" ? "control plane" : "worker";
  return count === undefined ? noun : countText(count, noun);
}

const sizeText = (mib: number): string => (mib % 1024 === 0 ? `${mib / 1024} GiB` : `${mib} MiB`);

/** `192.168.1.101 · VMID 2000`. */
export const placeText = ({ address, vmid }: Machine): string =>
  joined([address, vmid === undefined ? undefined : `VMID ${vmid}`]);

/** `2 cores · 4 GiB · 20 GiB disk`. */
export const sizesText = ({ cores, memoryMiB, diskGiB }: Machine): string =>
  joined([
    cores === undefined ? undefined : countText(cores, "core"),
    memoryMiB === undefined ? undefined : sizeText(memoryMiB),
    diskGiB === undefined ? undefined : `${diskGiB} GiB disk`,
  ]);

/** `+ 50 GiB longhorn`. */
export const disksText = ({ dataDisks }: Machine): string =>
  joined(
    dataDisks.map((disk) => `+ ${disk.sizeGiB} GiB${disk.for === undefined ? " data" : ` ${disk.for}`}`),
  );

export const wireText = ({ bridge, vlan }: NetworkFacts): string =>
  vlan === undefined ? bridge : `${bridge}, VLAN ${vlan}`;

/** What stands below the name of a network. */
export const networkLines = ({ subnet, gateway, dns, mtu }: NetworkFacts): string[] => [
  ...(subnet === undefined ? [] : [subnet]),
  ...(gateway === undefined ? [] : [`gateway ${gateway}`]),
  ...(dns.length === 0 ? [] : [`DNS ${dns.join(", ")}`]),
  ...(mtu === undefined ? [] : [`MTU ${mtu}`]),
];

export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Up to three by name, then how many more there are. */
export const listText = (names: string[]): string =>
  names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;

/** `1 control plane, 2 workers`. */
export function rolesText(machines: ({ role: MachineRole } & Counted)[]): string {
  const countOf = (wanted: MachineRole): number =>
    machines.reduce((sum, { role, count = 1 }) => (role === wanted ? sum + count : sum), 0);
  const [controlPlanes, workers] = [countOf("control-plane"), countOf("worker")];
  return [
    ...(controlPlanes > 0 ? [countText(controlPlanes, "control plane")] : []),
    ...(workers > 0 ? [countText(workers, "worker")] : []),
  ].join(", ");
}

/** `about 38s`, `about 2m 10s`. */
export function usualText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes === 0) return `about ${seconds}s`;
  return `about ${minutes}m${rest === 0 ? "" : ` ${String(rest).padStart(2, "0")}s`}`;
}

const joined = (parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join(" · ");
