import { coresFinding, memoryFinding, nodesHere, type Check } from "../../../plan/index.ts";
import { coresPromised, memoryShort } from "./errors.ts";
import { connectionCheckId, placedCheck, type HostView } from "./host-view.ts";

/** What all clusters of the run want beyond what their machines already have. */
export const memoryCheck = (view: HostView): Check =>
  placedCheck(view, "libvirt-memory", ["Memory is enough", "Memory is too small"], async () => {
    const { facts, host } = view;
    if (!facts) return { status: "skipped", because: connectionCheckId };
    return memoryFinding({ host, facts, nodes: nodesHere(view) }, (short) => memoryShort({ host, ...short }));
  });

export const coresCheck = (view: HostView): Check =>
  placedCheck(view, "libvirt-cores", ["Cores are enough", "Cores are too few"], async () => {
    const { facts, host } = view;
    if (!facts) return { status: "skipped", because: connectionCheckId };
    return coresFinding({ host, facts, nodes: nodesHere(view) }, (short) =>
      coresPromised({ host, ...short }),
    );
  });
