import { failed, nodesHere, roomOf, type Check } from "../../../plan/index.ts";
import { coresPromised, gib, memoryShort } from "./errors.ts";
import { connectionCheckId, placedCheck, type HostView } from "./host-view.ts";

const reserveMiB = 1024;

/** What all clusters of the run want beyond what their machines already have. */
export const memoryCheck = (view: HostView): Check =>
  placedCheck(view, "libvirt-memory", "Memory is enough", async () => {
    const { facts, host } = view;
    if (!facts) return { status: "skipped", because: connectionCheckId };
    const neededMiB = sum(
      nodesHere(view).map(({ node, machine }) => Math.max(0, node.memoryMiB - (machine?.memoryMiB ?? 0))),
    );
    const freeMiB = Math.max(0, roomOf(host, facts).memoryMiB);
    const total = `${gib(facts.memoryMiB)} × ${host.overcommit.memory.toFixed(1)}`;
    const shown = { needed: gib(neededMiB), found: `${gib(freeMiB)} free of ${total}` };
    if (neededMiB > freeMiB) return failed(memoryShort({ host, neededMiB, freeMiB, total }), shown);
    const isTight = neededMiB > 0 && freeMiB - neededMiB < reserveMiB;
    return { status: isTight ? "warned" : "ok", ...shown };
  });

export const coresCheck = (view: HostView): Check =>
  placedCheck(view, "libvirt-cores", "Cores are enough", async () => {
    const { facts, host } = view;
    if (!facts) return { status: "skipped", because: connectionCheckId };
    const needed = sum(
      nodesHere(view).map(({ node, machine }) => Math.max(0, node.cores - (machine?.cores ?? 0))),
    );
    const free = Math.max(0, roomOf(host, facts).cores);
    const total = `${facts.cores} × ${host.overcommit.cores}`;
    const shown = { needed: `${needed}`, found: `${free} free of ${total}` };
    return needed > free
      ? failed(coresPromised({ host, needed, free, total }), shown)
      : { status: "ok", ...shown };
  });

const sum = (numbers: number[]): number => numbers.reduce((all, each) => all + each, 0);
