import { defineError } from "../../../errors/index.ts";

export const nodesUnreachable = defineError(
  "VERIFY_TALOS_SILENT",
  (f: { cluster: string; why: string; first: string }) => ({
    what: `Talos does not answer on every node of "${f.cluster}"`,
    why: f.why,
    next: `See whether its machine runs and what it says: slipway status ${f.cluster}, slipway console ${f.cluster}/${f.first}`,
  }),
);

export const addressesWrong = defineError(
  "VERIFY_ADDRESSES_WRONG",
  (f: { cluster: string; why: string; first: string }) => ({
    what: `Not every address of "${f.cluster}" is where it belongs`,
    why: f.why,
    next: `See what would bring it back: slipway plan ${f.cluster} --details`,
  }),
);

export const vipUnheld = defineError("VERIFY_VIP_NOT_HELD", (f: { cluster: string; vip: string }) => ({
  what: `No control plane of "${f.cluster}" holds ${f.vip}`,
  why: "no control plane that answers has the shared address; through etcd it goes to a node whose API runs",
  next: `Look at etcd below; "slipway doctor ${f.cluster}" checks what can prevent it`,
}));

export const etcdNotHealthy = defineError(
  "VERIFY_ETCD_NOT_HEALTHY",
  (f: { cluster: string; why: string }) => ({
    what: `etcd of "${f.cluster}" is not healthy`,
    why: f.why,
    next: `Bring the missing control planes back: slipway up ${f.cluster}`,
  }),
);

export const etcdAlarmed = defineError(
  "VERIFY_ETCD_ALARM",
  (f: { cluster: string; alarms: string }) => ({
    what: `Cannot write to etcd of "${f.cluster}"`,
    why: `it has raised the alarm ${f.alarms}, and refuses writes until somebody disarms it`,
    next: f.alarms.includes("corrupt")
      ? "Save a snapshot first (talosctl etcd snapshot), then replace the member that raised it"
      : "Free space on one control plane after the other (talosctl etcd defrag), then: talosctl etcd alarm disarm",
  }),
  [{ alarms: "corrupt" }],
);

export const apiNotHealthy = defineError(
  "VERIFY_API_NOT_READY",
  (f: { cluster: string; endpoint: string; why: string }) => ({
    what: `Cannot use the Kubernetes API of "${f.cluster}"`,
    why: f.why,
    next: `Find the cause: slipway doctor ${f.cluster}`,
    else: `Bring back what is missing: slipway up ${f.cluster}`,
    shared: f.endpoint,
  }),
);
