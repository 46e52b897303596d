import { errorData } from "../../../../errors/index.ts";
import type { Deviation, Objection } from "../../../../plan/index.ts";
import { k3sPaths } from "../../paths.ts";
import { networkSettled } from "../../errors.ts";
import type { HostSession } from "../../../linux-hosts/index.ts";
import type { NodeWant } from "./node-want.ts";

/** Flags of the servers that hold for everything that was ever made in the cluster. */
const settledFlags: Record<string, string> = {
  "cluster-cidr": "pod networks",
  "service-cidr": "service networks",
  "cluster-domain": "cluster domain",
};

/** The same deviations, those with an objection that a running cluster cannot follow. */
export const withObjections = ({ cluster }: NodeWant, found: Deviation[]): Deviation[] =>
  found.map((each) => {
    const topic = settledFlags[each.field];
    return topic === undefined ? each : { ...each, objection: objection(cluster, topic, each.from, each.to) };
  });

/** Agents, certificates and everybody's kubeconfig know the VIP the servers answer at. */
export async function vipDeviations(
  host: HostSession,
  want: NodeWant,
  signal: AbortSignal,
): Promise<Deviation[]> {
  if (want.role !== "server") return [];
  const from = vipIn(await host.read(k3sPaths.kubeVipManifest, signal));
  const to = vipIn(want.kubeVip);
  if (from === to) return [];
  return [
    { field: "VIP", from, to, consequence: "disturb", objection: objection(want.cluster, "VIP", from, to) },
  ];
}

const vipIn = (manifest = ""): string =>
  /- name: address\n\s+value: "?([^"\s]+)/.exec(manifest)?.[1] ?? "none";

const objection = (cluster: string, topic: string, from: string, to: string): Objection => ({
  topic,
  from,
  to,
  consequence: "replace",
  error: errorData(networkSettled({ cluster, topic, from, to })),
});
