import { defineError } from "../../../errors/index.ts";

export const managerUnreachable = defineError(
  "RANCHER_NO_MANAGER",
  (f: { cluster: string; manager: string }) => ({
    what: `Cannot register "${f.cluster}" with "${f.manager}"`,
    why: "there is no access to that cluster yet",
    next: `Run "slipway up ${f.manager}" first, or "slipway up" for both`,
  }),
);

export const rancherNameTaken = defineError(
  "RANCHER_NAME_TAKEN",
  (f: { cluster: string; manager: string }) => ({
    what: `Cannot register "${f.cluster}" with "${f.manager}"`,
    why: "Rancher has a cluster of that name already, and it does not carry Slipway's mark",
    next: "Remove it in Rancher if it is not needed, or give this cluster another name",
  }),
);

export const rancherNameUnknown = defineError(
  "RANCHER_NOT_REACHED",
  (f: { cluster: string; hostname: string; why: string }) => ({
    what: `Cannot register "${f.cluster}" with https://${f.hostname}`,
    why: `a pod of it gets no answer there: ${f.why}`,
    next: /bad address|resolve/.test(f.why)
      ? `Let a DNS server of its nodes know ${f.hostname}, or write network: { hosts: { ${f.hostname}: ADDRESS } }`
      : `Check that ${f.hostname} means the nodes or the load balancer of the manager, and that its ports 80 and 443 are open to these nodes`,
  }),
  [{ why: "bad address" }],
);

export const agentRefuses = defineError(
  "RANCHER_AGENT_REFUSES",
  (f: { cluster: string; complaint: string }) => ({
    what: `Cannot register "${f.cluster}"`,
    why: `its agent says: ${f.complaint}`,
    next: "Rancher shows another certificate than the one the agent expects: check which server answers under its name, then run the same command again",
  }),
);

export const manifestOdd = defineError("RANCHER_ODD_MANIFEST", (f: { cluster: string; why: string }) => ({
  what: `Cannot register "${f.cluster}"`,
  why: f.why,
  next: 'Look at the log of Rancher: slipway kubectl MANAGER -- logs -n cattle-system deploy/rancher; then run "slipway up" again',
}));
