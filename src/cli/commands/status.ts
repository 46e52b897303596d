import { realClock } from "../../lib/index.ts";
import {
  fleetStatus,
  parseSelection,
  type AddonStatus,
  type ClusterStatus,
  type NodeStatus,
} from "../../operations/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { renderStatus, type AddonRow, type ClusterRow, type NodeRow, type RowState } from "../views/index.ts";

interface StatusOptions extends CommonOptions {
  watch?: boolean;
  exitCode?: boolean;
}

const notReady = 3;

const watchEveryMs = 2_000;

export async function run(shell: Shell, options: StatusOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  let isReady = false;
  const read = async (): Promise<string> => {
    const found = await fleetStatus({ fleet, selection: parseSelection(cluster) }, world);
    isReady = found.every(({ state }) => state === "Ready");
    if (options.json) {
      shell.lines.tell({ type: "status", clusters: found });
      return "";
    }
    const [only] = found;
    return renderStatus(
      cluster !== undefined && only
        ? {
            nodes: only.nodes.map(nodeRow),
            toldBy: [...new Set(only.nodes.flatMap(({ usage }) => usage?.measuredBy ?? []))],
            addons: (only.addons ?? []).map(addonRow),
            certificates: only.certificates ?? [],
          }
        : { clusters: found.map(clusterRow) },
      shell.out,
    );
  };
  let shown = await read();
  shell.out.write(shown);
  while (options.watch && !shell.stop.aborted) {
    await realClock.sleep(watchEveryMs, shell.stop).catch(() => undefined);
    if (shell.stop.aborted) break;
    const next = await read();
    const goBack = shell.out.isTerminal && !options.json ? `\x1b[${shown.split("\n").length - 1}A\x1b[J` : "";
    shell.out.write(`${goBack}${next}`);
    shown = next;
  }
  return options.exitCode && !isReady ? notReady : 0;
}

const clusterMarks: Record<ClusterStatus["state"], RowState> = {
  Ready: "ok",
  Degraded: "warn",
  Unreachable: "bad",
  Absent: "differs",
  Leftover: "warn",
};
const nodeMarks: Record<NodeStatus["state"], RowState> = {
  Ready: "ok",
  "Not Ready": "warn",
  Unreachable: "bad",
  Stopped: "bad",
  Missing: "differs",
};

const isDiffering = ({ state, nodes }: ClusterStatus): boolean =>
  state === "Ready" && nodes.some(({ differs }) => differs);

const clusterRow = (status: ClusterStatus): ClusterRow => ({
  name: status.cluster,
  mark: isDiffering(status) ? "differs" : clusterMarks[status.state],
  state: isDiffering(status) ? "Ready, differs" : status.state,
  ready: status.ready,
  total: status.nodes.length,
  version: status.version,
  know: status.know ?? "",
});

const nodeRow = (status: NodeStatus): NodeRow => ({
  name: status.node,
  mark: markOf(status),
  state: status.state === "Ready" && status.differs ? "Ready, differs" : status.state,
  host: status.host ?? "",
  address: status.address,
  vmid: status.vmid,
  isRunning: status.state === "Ready" || status.state === "Not Ready",
  usage: status.usage,
  version: versionText(status),
  know: status.know ?? "",
});

/** What is as the file says and takes pods is plainly well; nothing else is. */
function markOf({ state, isCordoned, differs }: NodeStatus): RowState {
  if (state !== "Ready") return nodeMarks[state];
  return isCordoned ? "warn" : differs ? "differs" : "ok";
}

const versionText = ({ software, release, kubernetes }: NodeStatus): string | undefined =>
  kubernetes === undefined || release === undefined ? software : `${release}  K8s ${kubernetes}`;

const addonMarks: Record<AddonStatus["state"], RowState> = {
  Ready: "ok",
  "Not Ready": "bad",
  Incomplete: "warn",
  Missing: "differs",
  Leaving: "differs",
  "Handed over": "ok",
};

const addonRow = (status: AddonStatus): AddonRow => ({
  name: status.addon,
  mark: addonMarks[status.state],
  state: status.state,
  version: status.version,
  owner: status.owner,
  know: status.know ?? "",
});
