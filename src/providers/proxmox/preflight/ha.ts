import { failed, type Check } from "../../../plan/index.ts";
import { haAlone, haLocalDisks } from "./errors.ts";
import { hostCheck, type HostView } from "./host-view.ts";

// A node that is lost takes its vote along; the rest must still be more than half.
const votesNeeded = 3;

/** Proxmox restarts a machine elsewhere only where there is an elsewhere, and where its disks can be reached from. */
export function haCheck(view: HostView): Check[] {
  if (!view.cluster.isHighlyAvailable) return [];
  return [
    hostCheck(
      view,
      "proxmox-ha",
      ["Machines can be restarted on another host", "Machines cannot be restarted on another host"],
      async (ctx) => {
        const nodes = await view.nodes(ctx.signal);
        const needed = "a Proxmox cluster and disks on shared storage";
        if (nodes.length < 2) return failed(haAlone(view.host), { needed });
        const local = await localStorages(view, ctx.signal);
        if (local.length > 0) return failed(haLocalDisks({ host: view.host, storages: local }), { needed });
        if (nodes.length >= votesNeeded) return { status: "ok", needed, found: `${nodes.length} nodes` };
        const found = `${nodes.length} nodes: when one is lost the other has no majority, and nothing is restarted without a third vote`;
        return { status: "warned", needed, found };
      },
    ),
  ];
}

async function localStorages(view: HostView, signal: AbortSignal): Promise<string[]> {
  const { disks } = view.host.proxmox.storage;
  const used = new Set(
    view.placed.flatMap(({ node }) => [
      node.storage ?? disks,
      ...node.dataDisks.map((disk) => disk.storage ?? disks),
    ]),
  );
  const all = await view.storages(signal);
  return [...used].filter((name) => all.some((storage) => storage.name === name && !storage.isShared));
}
