import type { FleetDraft } from "../complete/draft.ts";
import { adviseLabel, isDnsLabel } from "../schema/fields/common-fields.ts";
import type { Problem } from "../source/problem.ts";
import { elsewhere } from "./elsewhere.ts";
import { isExistingHost, isProxmoxHost } from "../model/host-kinds.ts";

/** Names must work as host names, and each thing needs one of its own. */
export function checkNames(fleet: FleetDraft): Problem[] {
  return [
    ...namesOf(fleet, "hosts", "host"),
    ...namesOf(fleet, "clusters", "cluster"),
    ...poolNames(fleet),
    ...nodeNames(fleet),
    ...hostsTwice(fleet),
    ...nothingThere(fleet),
  ];
}

function namesOf(fleet: FleetDraft, section: "hosts" | "clusters", kind: string): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, Problem["position"]>();
  for (const document of fleet.documents) {
    for (const name of document.mapKeys([section])) {
      const position = document.locateKey([section, name]);
      const before = seen.get(name);
      if (!isDnsLabel(name)) problems.push(badName(kind, name, position));
      if (before) {
        problems.push({
          code: "SPEC_NAME_TWICE",
          what: `Another ${kind} is called "${name}" as well ${elsewhere(before, position)}`,
          next: "Give one of the two another name",
          position,
        });
      }
      seen.set(name, position);
    }
  }
  return problems;
}

function poolNames({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => {
    const seen = new Set<string>();
    return draft.pools.flatMap((pool): Problem[] => {
      const position = draft.document.locateKey(pool.path);
      if (seen.has(pool.name)) {
        const next = "Give each pool a name of its own";
        return [{ code: "SPEC_NAME_TWICE", what: `Two pools are called "${pool.name}"`, next, position }];
      }
      seen.add(pool.name);
      return isDnsLabel(pool.name) ? [] : [badName("pool", pool.name, position)];
    });
  });
}

function nodeNames({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => {
    const owners = new Map<string, string>();
    return draft.pools.flatMap((pool): Problem[] => {
      const position = draft.document.locateKey(pool.path);
      const tooLong = pool.nodes.find((node) => node.name.length > 63 && isDnsLabel(pool.name));
      const twice = pool.nodes.find(
        (node) => owners.has(node.name) && owners.get(node.name) !== pool.name && !node.machine,
      );
      for (const node of pool.nodes) owners.set(node.name, pool.name);
      const problems: Problem[] = [];
      if (tooLong) {
        const what = `Node name "${tooLong.name}" has ${tooLong.name.length} characters, 63 is the most`;
        problems.push({ code: "SPEC_BAD_NAME", what, next: "Give the pool a shorter name", position });
      }
      if (twice) {
        const what = `Node "${twice.name}" would exist twice in "${draft.cluster.name}"`;
        problems.push({ code: "SPEC_NAME_TWICE", what, next: "Give the pool another name", position });
      }
      return problems;
    });
  });
}

/** The same machine under two names would be filled twice. */
function hostsTwice({ hosts }: FleetDraft): Problem[] {
  const seen = new Map<string, Problem["position"]>();
  return hosts.flatMap(({ host }): Problem[] => {
    if (isExistingHost(host)) return [];
    const key = isProxmoxHost(host) ? `${host.proxmox.url} ${host.proxmox.node}` : host.libvirt.uri;
    const before = seen.get(key);
    if (!before) {
      seen.set(key, host.at);
      return [];
    }
    const isWhat = isProxmoxHost(host)
      ? `node "${host.proxmox.node}" of the same Proxmox`
      : "the same libvirt";
    const what = `Host "${host.name}" is ${isWhat} as another host ${elsewhere(before, host.at)}`;
    return [
      {
        code: "SPEC_HOST_TWICE",
        what,
        next: isProxmoxHost(host)
          ? "Remove one of the two, or give it its own node:"
          : "Remove one of the two, or give it its own uri:",
        position: host.at,
      },
    ];
  });
}

function nothingThere({ documents, isWhole }: FleetDraft): Problem[] {
  const first = documents[0];
  if (!isWhole || !first || documents.some((document) => document.mapKeys(["clusters"]).length > 0))
    return [];
  return [
    {
      code: "SPEC_EMPTY",
      what: "No cluster is described",
      next: 'Add one below "clusters:"; "slipway init --example quickstart" shows how',
      position: first.locateKey(["clusters"]),
    },
  ];
}

const badName = (kind: string, name: string, position: Problem["position"]): Problem => ({
  code: "SPEC_BAD_NAME",
  what:
    name.length > 63
      ? `A name of ${name.length} characters is too long for a ${kind}`
      : `"${name}" cannot name a ${kind}`,
  next: adviseLabel(name),
  position,
});
