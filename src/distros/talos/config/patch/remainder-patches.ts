import { isDeepStrictEqual } from "node:util";
import type { YamlValue } from "../../../../lib/index.ts";
import type { Bundle } from "../../../../secrets/index.ts";
import { encodeMachineConfig, isMap, type MachineConfigDocument } from "../config-document.ts";
import { machineConfig } from "../machine-config.ts";
import type { MachineIntent } from "../machine-intent.ts";

/**
 * What an intent says beyond the basics that other tools have words for (hostname, links, resolvers, labels, taints,
 * disk, image), as patches onto a config that has the basics only. One text per document.
 */
export const remainderPatches = (intent: MachineIntent, bundle: Bundle): string[] =>
  differences(machineConfig(basicsOf(intent), bundle), machineConfig(remainderOf(intent), bundle)).map(
    (document) => encodeMachineConfig([document]),
  );

/** What other tools have words for and write into the main config themselves. */
export function basicsOf(intent: MachineIntent): MachineIntent {
  const { contract, role, cluster, install, certSANs } = intent;
  const { name, endpoint, kubernetes, dnsDomain, podSubnets, serviceSubnets, cni } = cluster;
  return {
    contract,
    role,
    talos: intent.talos,
    cluster: {
      name,
      endpoint,
      kubernetes,
      dnsDomain,
      podSubnets,
      serviceSubnets,
      cni,
      isSchedulingOnControlPlanes: cluster.isSchedulingOnControlPlanes ?? false,
    },
    install,
    certSANs,
  };
}

/** The intent without what other tools add to a node by themselves, and without the user's own patches. */
export function remainderOf(intent: MachineIntent): MachineIntent {
  const { hostname: _name, labels: _labels, annotations: _annotations, taints: _taints, ...rest } = intent;
  const { links: _links, dns: _dns, ...network } = intent.network ?? { links: [] };
  return { ...rest, network: { ...network, links: [] }, patches: [] };
}

/** The documents that, merged onto `from`, make it `to`. */
function differences(from: MachineConfigDocument[], to: MachineConfigDocument[]): MachineConfigDocument[] {
  const identity = ({ apiVersion, kind, name }: MachineConfigDocument): MachineConfigDocument => ({
    ...(kind !== undefined && { apiVersion, kind }),
    ...(name !== undefined && { name }),
  });
  const same = (a: MachineConfigDocument, b: MachineConfigDocument): boolean =>
    isDeepStrictEqual(identity(a), identity(b));
  const changed = to.flatMap((document) => {
    const base = from.find((known) => same(known, document));
    if (!base) return [document];
    const fields = mapDifference(base, document);
    return fields === undefined ? [] : [{ ...identity(document), ...fields }];
  });
  const gone = from.filter((document) => !to.some((known) => same(known, document)));
  return [...changed, ...gone.map((document) => ({ ...identity(document), $patch: "delete" }))];
}

function mapDifference(
  from: MachineConfigDocument,
  to: MachineConfigDocument,
): MachineConfigDocument | undefined {
  const fields: [string, YamlValue][] = [];
  for (const [key, value] of Object.entries(to)) {
    const base = from[key];
    if (value === undefined || isDeepStrictEqual(base, value)) continue;
    if (isMap(base) && isMap(value)) {
      const inner = mapDifference(base, value);
      if (inner) fields.push([key, inner]);
    } else fields.push([key, Array.isArray(base) && Array.isArray(value) ? added(base, value) : value]);
  }
  for (const [key, value] of Object.entries(from))
    if (value !== undefined && to[key] === undefined) fields.push([key, { $patch: "delete" }]);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** Lists are appended to when they are merged. */
const added = (base: readonly YamlValue[], list: readonly YamlValue[]): readonly YamlValue[] =>
  list.filter((item) => !base.some((known) => isDeepStrictEqual(known, item)));
