import type { JSX } from "preact";
import type { NodeStatus } from "../../../operations/index.ts";
import { formatNumber, type RunState } from "../../../views/index.ts";
import { writeRoute } from "../data/route.ts";
import { useStore } from "../data/store.ts";
import { useRun } from "../data/use-run.ts";
import { Icon, type Shape } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";

/** The nodes, those with a problem first. */
export function NodesScreen({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const shown = useRun(cluster);
  const route = store.route.value;
  const status = store.fleet.value?.clusters.find((each) => each.cluster === cluster);
  const all = status?.nodes ?? (store.isStored ? nodesOfRun(shown?.feed.state, cluster) : []);
  const search = (route.query["q"] ?? "").toLowerCase();
  const nodes = all
    .filter((node) => Object.values(node).join(" ").toLowerCase().includes(search))
    .toSorted((a, b) => Number(a.state === "Ready") - Number(b.state === "Ready"));
  return (
    <section class="panel">
      <header>
        <h2>
          {status
            ? `${status.ready} of ${formatNumber(all.length, "node")} Ready`
            : formatNumber(all.length, "node")}
        </h2>
        <div class="bar-of-filters">
          <input
            class="field"
            type="search"
            data-search
            aria-label="Filter the nodes"
            placeholder="Filter ( / )"
            value={route.query["q"] ?? ""}
            onInput={(event) => store.setQuery({ q: event.currentTarget.value })}
          />
        </div>
      </header>
      {all.length === 0 ? (
        <p class="empty">
          {store.fleet.value || store.isStored ? "No node is known." : "Asking hosts and nodes…"}
        </p>
      ) : (
        <Rows
          kind="nodes"
          label="Nodes"
          items={nodes}
          columns={columns}
          keyOf={({ node }) => node}
          hrefOf={({ node }) => writeRoute({ cluster, screen: "nodes", node })}
        />
      )}
    </section>
  );
}

export const shapeOfNode: Record<NodeStatus["state"] | "Planned", Shape> = {
  Ready: "done",
  "Not Ready": "wait",
  Unreachable: "fail",
  Stopped: "fail",
  Missing: "plan",
  Planned: "plan",
};

type ShownNode = Omit<NodeStatus, "state"> & { state: NodeStatus["state"] | "Planned" };

const columns: Column<ShownNode>[] = [
  { title: "Node", cell: ({ node }) => node },
  {
    title: "State",
    kind: "state",
    cell: ({ state }) => (
      <>
        <Icon shape={shapeOfNode[state]} label={false} />
        <span>{state}</span>
      </>
    ),
  },
  { title: "Role", kind: "phone-hide", cell: ({ role }) => roleText(role) },
  { title: "Host", kind: "phone-hide", cell: ({ host }) => host ?? "-" },
  { title: "Address", kind: "mono", cell: ({ address }) => address },
  { title: "VMID", kind: "n phone-hide", cell: ({ vmid }) => vmid ?? "-" },
  { title: "What to know", kind: "know mute", cell: ({ know, software }) => know ?? software ?? "" },
];

export const roleText = (role: string): string => (/control/i.test(role) ? "control plane" : role);

/** A page of one run knows the nodes that the run was about. */
function nodesOfRun(state: RunState | undefined, cluster: string): ShownNode[] {
  const steps = [...(state?.steps.values() ?? [])].filter(({ planned }) => planned.cluster === cluster);
  const names = new Set(steps.flatMap(({ planned }) => planned.node ?? []));
  return [...names].map((node) => {
    const own = steps.filter(({ planned }) => planned.node === node);
    const address = own.map(({ planned }) => planned.facts?.["address"]).find((fact) => fact !== undefined);
    const { host, role = "" } = own.find(({ planned }) => planned.host !== undefined)?.planned ?? {};
    const isDone = own.every(({ status }) => status === "done");
    return {
      node,
      role: role as NodeStatus["role"],
      state: isDone ? "Ready" : "Planned",
      host,
      address: `${address ?? ""}`,
    };
  });
}
