import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { nodePlace } from "../../complete/pools.ts";
import { defaultFirstAddress } from "../../values/addresses.ts";
import { hasGuests, hasKubernetes } from "../../model/distribution-kinds.ts";
import { systemFacts } from "../../model/system-facts.ts";
import type { Node } from "../../model/cluster.ts";
import { adviseName } from "../../schema/fields/one-of.ts";
import { placeKey } from "../../source/positions.ts";
import type { Problem } from "../../source/problem.ts";
import { formatMiB, toGiB } from "../../values/sizes.ts";

const leastMemoryMiB = { "control-plane": 2048, worker: 1024 };
const leastDiskGiB = 10;
/** Whatever a cloud image needs, it is not less. */
const leastOfPlain = { memoryMiB: 128, diskGiB: 1 };

/** How many nodes there are, and whether each can carry what it is for. */
export function checkPools({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) =>
    draft.pools.flatMap((pool) => [
      ...(pool.role === "control-plane" && hasKubernetes(draft.cluster)
        ? controlPlaneCount(draft, pool)
        : []),
      ...skippedNumbers(draft, pool),
      ...strangers(draft, pool),
      ...firstAddress(draft, pool),
      ...tooSmall(draft, pool),
    ]),
  );
}

function controlPlaneCount({ document }: ClusterDraft, pool: PoolDraft): Problem[] {
  const count = pool.written.machines === undefined ? pool.written.count : pool.nodes.length;
  const position = document.locate([
    ...pool.path,
    pool.written.machines === undefined ? "count" : "machines",
  ]);
  // What keeps machines from being found is told elsewhere.
  if (pool.written.machines !== undefined && count === 0) return [];
  if (count === 0) {
    const what = "A cluster without control planes has no API";
    return [
      {
        code: "SPEC_CONTROL_PLANE_COUNT",
        what,
        next: "Write count: 1, or 3 to survive the loss of one",
        position,
      },
    ];
  }
  if (count % 2 === 1 && count <= 7) return [];
  const what =
    count % 2 === 0
      ? `${count} control planes survive no more than ${count - 1} do: etcd needs a majority`
      : `${count} control planes slow etcd down more than they protect it`;
  const next = count > 7 ? "Write count: 3 or 5" : `Write count: ${count - 1} or ${count + 1}`;
  return [{ code: "SPEC_CONTROL_PLANE_COUNT", what, next, position }];
}

function skippedNumbers({ document }: ClusterDraft, pool: PoolDraft): Problem[] {
  if (pool.written.machines !== undefined) return [];
  const last = pool.nodes.at(-1)?.index ?? 0;
  return pool.written.skip.flatMap((number, i): Problem[] => {
    if (number < last) return [];
    return [
      {
        code: "SPEC_UNKNOWN_NODE",
        what: `Skipping ${number} changes nothing: the last node of this pool is number ${last}`,
        next: "Remove it; to have fewer nodes, lower count",
        position: document.locate([...pool.path, "skip", i]),
      },
    ];
  });
}

/** Fields of single nodes that do not exist. */
function strangers({ document }: ClusterDraft, pool: PoolDraft): Problem[] {
  const names = new Set(pool.nodes.map((node) => node.name));
  return Object.keys(pool.written.nodes)
    .filter((name) => !names.has(name))
    .map((name) => ({
      code: "SPEC_UNKNOWN_NODE",
      what: `This pool has no node "${name}"`,
      next: adviseNode(name, pool),
      position: document.locateKey([...pool.path, "nodes", name]),
    }));
}

/** A number too high is no slip of the pen; anything else may be. */
function adviseNode(name: string, pool: PoolDraft): string {
  const first = pool.nodes[0]?.name ?? "";
  const isNumberOnly = name.replace(/\d+$/, "") === first.replace(/\d+$/, "");
  if (!isNumberOnly || first === "")
    return adviseName(
      name,
      pool.nodes.map((node) => node.name),
    );
  const last = pool.nodes.at(-1)?.name ?? first;
  return `Its nodes are ${first === last ? first : `${first} to ${last}`}; raise count to have more`;
}

function firstAddress(draft: ClusterDraft, pool: PoolDraft): Problem[] {
  if (pool.written.machines !== undefined) return [];
  const order = draft.pools.filter((other) => other.role === pool.role).indexOf(pool);
  const isGiven =
    pool.written.address !== undefined || defaultFirstAddress(draft.cidr, pool.role, order) !== undefined;
  const needsOne = pool.nodes.some((node) => pool.written.nodes[node.name]?.address === undefined);
  if (isGiven || !needsOne) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: `Nothing says where the addresses of ${pool.name} start`,
      next:
        draft.cidr.prefix > 24
          ? "Add address: with the first one, like .10"
          : "Add address: with the first one, like .121",
      position: draft.document.locateKey(pool.path),
    },
  ];
}

function tooSmall(draft: ClusterDraft, pool: PoolDraft): Problem[] {
  const isPlain = !hasKubernetes(draft.cluster);
  const leastMemory = isPlain ? leastOfPlain.memoryMiB : leastMemoryMiB[pool.role];
  const roleName = isPlain ? "a machine" : pool.role === "worker" ? "a worker" : "a control plane";
  // Nodes of a pool are alike, so only the first of those that share a place is told.
  const memory = pool.nodes
    .filter((node) => node.memoryMiB < leastMemory)
    .map((node): Problem => ({
      code: "SPEC_TOO_SMALL",
      what: `${formatMiB(node.memoryMiB)} of memory are too little for ${roleName}, which needs ${formatMiB(leastMemory)}`,
      next: `Write memory: ${formatMiB(leastMemory).replace(" ", "")} or more`,
      position: nodePlace(draft, pool, node, "memory"),
    }));
  const disks = pool.nodes.flatMap((node) => smallDisks(draft, pool, node));
  const seen = new Set<string>();
  return [...memory, ...disks].filter(({ code, position }) => {
    const place = `${code} ${placeKey(position)}`;
    return !seen.has(place) && seen.add(place);
  });
}

function smallDisks(draft: ClusterDraft, pool: PoolDraft, node: Node): Problem[] {
  const problems: Problem[] = [];
  const isPlain = !hasKubernetes(draft.cluster);
  const leastGiB = isPlain ? leastOfPlain.diskGiB : leastDiskGiB;
  const { title } = systemFacts(draft.cluster);
  const system = isPlain ? "a system" : hasGuests(draft.cluster) ? `a system with ${title}` : title;
  if (node.diskGiB < leastGiB) {
    problems.push({
      code: "SPEC_TOO_SMALL",
      what: `A disk of ${node.diskGiB} GiB is too small: ${system} needs ${leastGiB} GiB`,
      next: `Write disk: ${leastGiB}GiB or more; 20GiB leaves room for ${isPlain ? "more" : "images"}`,
      position: nodePlace(draft, pool, node, "disk"),
    });
  }
  const given = pool.written.nodes[node.name]?.dataDisks ?? pool.written.dataDisks ?? [];
  const isEmpty = given.some((disk) => toGiB(disk.size) < 1);
  if (isEmpty) {
    problems.push({
      code: "SPEC_TOO_SMALL",
      what: "A data disk is smaller than 1 GiB",
      next: "Write size: 1GiB or more, or remove the disk",
      position: nodePlace(draft, pool, node, "dataDisks"),
    });
  }
  return problems;
}
