import { defineError } from "../../../errors/index.ts";

interface Asked {
  cluster: string;
  from: string;
  to: string;
}

export const talosBack = defineError("TALOS_VERSION_SETTLED", (f: Asked) => ({
  what: `Cannot take Talos of "${f.cluster}" back`,
  why: `its nodes run Talos ${f.from}, the file asks for ${f.to}; etcd and the configs of the newer one are not made to be read by an older one`,
  next: `Write talos: { version: ${f.from} } for "${f.cluster}"`,
}));

export const talosSkips = defineError("TALOS_MINOR_SKIPPED", (f: Asked & { over: string[] }) => ({
  what: `Cannot upgrade Talos of "${f.cluster}" to ${f.to} at once`,
  why: `its nodes run Talos ${f.from}; no minor version may be left out`,
  next: `Go by ${f.over.join(", then ")}: write talos: { version: ${f.over[0]} } for "${f.cluster}" and run "slipway up ${f.cluster}"`,
}));

export const kubernetesUnfit = defineError(
  "TALOS_KUBERNETES_UNFIT",
  (f: Asked & { kubernetes: string; oldest: string; newest: string }) => ({
    what: `Cannot upgrade Talos of "${f.cluster}" to ${f.to}`,
    why: `the cluster runs Kubernetes ${f.kubernetes}, and Talos ${f.to} takes ${f.oldest} to ${f.newest} only`,
    next: `Upgrade Kubernetes first: leave talos: { version: ${f.from} } and write another version under kubernetes for "${f.cluster}"`,
  }),
);

export const kubernetesBack = defineError("TALOS_KUBERNETES_SETTLED", (f: Asked) => ({
  what: `Cannot take Kubernetes of "${f.cluster}" back`,
  why: `its nodes run Kubernetes ${f.from}, the file asks for ${f.to}; an older API server does not understand what a newer one has written`,
  next: `Write kubernetes: ${f.from} for "${f.cluster}"`,
}));

export const kubernetesSkips = defineError("TALOS_KUBERNETES_SKIPPED", (f: Asked & { over: string[] }) => ({
  what: `Cannot upgrade Kubernetes of "${f.cluster}" to ${f.to} at once`,
  why: `its nodes run Kubernetes ${f.from}; no minor version may be left out`,
  next: `Go by ${f.over.join(", then ")}: write kubernetes: ${f.over[0]} for "${f.cluster}" and run "slipway up ${f.cluster}"`,
}));

export const noSchematic = defineError("TALOS_NO_SCHEMATIC", (f: { node: string; cluster: string }) => ({
  what: `Cannot upgrade Talos on "${f.node}"`,
  why: "it was made from an image of your own and does not say from which schematic, so its installer is not known",
  next: `Upgrade it by hand with an installer that has the same extensions: talosctl upgrade --nodes ADDRESS --image IMAGE, then run "slipway up ${f.cluster}"`,
}));

export const snapshotBroken = defineError(
  "TALOS_SNAPSHOT_BROKEN",
  (f: { cluster: string; node: string; why: string }) => ({
    what: `Cannot take a snapshot of etcd of "${f.cluster}"`,
    why: `what ${f.node} sent is ${f.why}; nothing has been changed`,
    next: `Look at the cluster first: slipway doctor ${f.cluster}`,
    transient: true,
  }),
);

export const controlPlanesFirst = defineError(
  "TALOS_CONTROL_PLANES_FIRST",
  (f: { cluster: string; node: string; behind: string[]; to: string }) => ({
    what: `Cannot upgrade Talos on "${f.node}" yet`,
    why: `${f.behind.join(", ")} must run Talos ${f.to} before any worker does`,
    next: `Run "slipway up ${f.cluster}", which upgrades all of them in their order`,
  }),
);

export const drainStuck = defineError(
  "TALOS_DRAIN_BLOCKED",
  (f: { cluster: string; node: string; why: string; cause: unknown }) => ({
    what: `Cannot upgrade Talos on "${f.node}"`,
    why: `its pods cannot leave: ${f.why}`,
    next: `Let the budget allow one more (kubectl get pdb -A) or move these pods, then run "slipway up ${f.cluster}"; "${f.node}" takes pods again, and no node after it was touched`,
    cause: f.cause,
  }),
);

export const fellBack = defineError(
  "TALOS_FELL_BACK",
  (f: { cluster: string; node: string; address: string; from: string; to: string }) => ({
    what: `Cannot upgrade Talos on "${f.node}"`,
    why: `it rebooted and runs ${f.from} again: ${f.to} did not start on it, so it went back by itself`,
    next: `See why: slipway talosconfig ${f.cluster} > talosconfig, then talosctl --talosconfig talosconfig -n ${f.address} dmesg; "slipway up ${f.cluster}" tries it again, and no node after it was touched`,
  }),
);

export const otherSystem = defineError(
  "TALOS_OTHER_SYSTEM",
  (f: { cluster: string; node: string; found: string; wanted: string }) => ({
    what: `Cannot upgrade Talos on "${f.node}"`,
    why: `it rebooted and runs ${f.found} instead of ${f.wanted}`,
    next: `Somebody else may be upgrading it; look at it, then run "slipway up ${f.cluster}"`,
  }),
);

export const etcdPair = defineError("TALOS_ETCD_PAIR", (f: { cluster: string; node: string }) => ({
  what: `Cannot restart the control plane "${f.node}"`,
  why: "etcd has two members, and while one of them restarts the other cannot decide anything",
  next: `Give "${f.cluster}" one or three control planes, then run "slipway up ${f.cluster}"`,
}));

export const stillUsed = defineError("TALOS_KUBERNETES_REMOVED", (f: Asked & { used: string[] }) => ({
  what: `Cannot upgrade Kubernetes of "${f.cluster}" to ${f.to}`,
  why: `it is gone from ${f.to}, and still in use: ${f.used.slice(0, 5).join("; ")}${f.used.length > 5 ? ` and ${f.used.length - 5} more` : ""}`,
  next: `Take it out while the file says kubernetes: ${f.from}, run "slipway up ${f.cluster}", then write ${f.to} again`,
}));

export const nothingBefore = defineError(
  "TALOS_NOTHING_BEFORE",
  (f: { cluster: string; node: string; from: string; why: string }) => ({
    what: `Cannot take "${f.node}" back to what it ran before Talos ${f.from}`,
    why: f.why,
    next: `Bring it to a version of the file instead: slipway up ${f.cluster}; one that does not start is made again by slipway replace ${f.cluster}/${f.node}`,
  }),
);

export const rollbackUnfit = defineError(
  "TALOS_ROLLBACK_UNFIT",
  (f: { cluster: string; node: string; from: string; before: string; kubernetes: string }) => ({
    what: `Cannot take "${f.node}" back to what it ran before Talos ${f.from}`,
    why: `that may be Talos ${f.before}, which does not take Kubernetes ${f.kubernetes}, and Kubernetes does not go back`,
    next: `Go forward instead: write a newer talos: { version } for "${f.cluster}", or make the node again: slipway replace ${f.cluster}/${f.node}`,
  }),
);
