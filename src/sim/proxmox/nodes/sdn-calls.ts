import type { CallContext, Handlers } from "../call.ts";

const readPrivileges = ["SDN.Audit", "SDN.Allocate"];
const digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

export const sdnCalls: Handlers<"GET /cluster/sdn/zones" | "GET /cluster/sdn/vnets"> = {
  "GET /cluster/sdn/zones": (context, { type }) =>
    Object.entries(context.cluster.file.sdn.zones)
      .filter(([zone]) => context.may.any(`/sdn/zones/${zone}`, readPrivileges))
      .filter(([, zone]) => type === undefined || zone.type === type)
      .map(([zone, { nodes, ...settings }]) => ({
        zone,
        ...settings,
        nodes: nodes?.join(","),
        digest,
      })),

  "GET /cluster/sdn/vnets": (context) =>
    Object.keys(context.cluster.file.sdn.vnets).flatMap((name) => row(context, name)),
};

function row(context: CallContext, vnet: string): Record<string, unknown>[] {
  const found = context.cluster.file.sdn.vnets[vnet];
  if (!found || !context.may.any(`/sdn/zones/${found.zone}/${vnet}`, readPrivileges)) return [];
  const { isVlanAware, ...settings } = found;
  return [{ vnet, type: "vnet", ...settings, vlanaware: isVlanAware ? 1 : undefined, digest }];
}
