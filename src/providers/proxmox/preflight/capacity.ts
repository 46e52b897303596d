import { coresFinding, memoryFinding, nodesHere, type Check } from "../../../plan/index.ts";
import { coresPromised, coresShort, memoryShort } from "./errors.ts";
import { placedCheck, rightsCheckId, type HostView } from "./host-view.ts";

/** What all clusters of the run want beyond what their machines already have. */
export const memoryCheck = (view: HostView): Check =>
  placedCheck(view, "proxmox-memory", ["Memory is enough", "Memory is too small"], async () => {
    const { facts, host } = view;
    if (!facts) return { status: "skipped", because: rightsCheckId };
    return memoryFinding({ host, facts, nodes: nodesHere(view) }, (short) => memoryShort({ host, ...short }));
  });

/** Proxmox starts no machine with more cores than the host has, whatever may be promised in all. */
export const coresCheck = (view: HostView): Check =>
  placedCheck(view, "proxmox-cores", ["Cores are enough", "Cores are too few"], async () => {
    const { facts, host } = view;
    if (!facts) return { status: "skipped", because: rightsCheckId };
    const tooBig = view.placed.find(({ node }) => node.cores > facts.cores)?.node;
    const refusal =
      tooBig && coresShort({ host, node: tooBig.name, cores: tooBig.cores, hostCores: facts.cores });
    const demand = { host, facts, nodes: nodesHere(view) };
    return coresFinding(demand, (short) => coresPromised({ host, ...short }), refusal);
  });
