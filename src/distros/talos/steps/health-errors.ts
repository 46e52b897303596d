import { SlipwayError } from "../../../errors/index.ts";

export const nodesSilent = (f: { cluster: string; why: string; first: string }) =>
  new SlipwayError({
    code: "VERIFY_TALOS_SILENT",
    what: `Cannot hear Talos on every node of "${f.cluster}"`,
    why: f.why,
    next: `See whether its machine runs and what it says: slipway status ${f.cluster}, slipway console ${f.cluster}/${f.first}`,
  });

export const addressesWrong = (f: { cluster: string; why: string; first: string }) =>
  new SlipwayError({
    code: "VERIFY_ADDRESSES_WRONG",
    what: `Cannot find every address of "${f.cluster}" where it belongs`,
    why: f.why,
    next: `See what would bring it back: slipway plan ${f.cluster} --details`,
  });

export const vipHeldByNobody = (f: { cluster: string; vip: string }) =>
  new SlipwayError({
    code: "VERIFY_VIP_NOT_HELD",
    what: `Cannot find who holds ${f.vip} in "${f.cluster}"`,
    why: "no control plane that answers has the shared address; it is given away through etcd, to a node whose API runs",
    next: `Look at etcd below; "slipway doctor ${f.cluster}" goes through what can be in its way`,
  });

export const etcdNotHealthy = (f: { cluster: string; why: string }) =>
  new SlipwayError({
    code: "VERIFY_ETCD_NOT_HEALTHY",
    what: `Cannot call etcd of "${f.cluster}" healthy`,
    why: f.why,
    next: `Bring the missing control planes back: slipway up ${f.cluster}`,
  });

export const etcdAlarmed = (f: { cluster: string; alarms: string }) =>
  new SlipwayError({
    code: "VERIFY_ETCD_ALARM",
    what: `Cannot write to etcd of "${f.cluster}"`,
    why: `it has raised the alarm ${f.alarms}, and refuses writes until somebody disarms it`,
    next: f.alarms.includes("corrupt")
      ? "Save a snapshot first (talosctl etcd snapshot), then replace the member that raised it"
      : "Make room on one control plane after the other (talosctl etcd defrag), then: talosctl etcd alarm disarm",
  });

export const apiNotHealthy = (f: { cluster: string; endpoint: string; why: string }) =>
  new SlipwayError({
    code: "VERIFY_API_NOT_READY",
    what: `Cannot use the Kubernetes API of "${f.cluster}"`,
    why: f.why,
    next: `See who stands in the way: slipway doctor ${f.cluster}`,
    else: `Bring back what is missing: slipway up ${f.cluster}`,
    shared: f.endpoint,
  });
