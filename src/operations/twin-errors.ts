import { SlipwayError } from "../errors/index.ts";

export const nodeMayLive = (f: { cluster: string; node: string; why: string; isMember: boolean }) =>
  new SlipwayError({
    code: "RUN_NODE_MAY_LIVE",
    what: `Cannot make a new machine for "${f.node}"`,
    why: `${f.why}; a second ${f.node} would take its address, and both would run when the first comes back`,
    next: `Bring the place back where ${f.node} was, and put it back into the file if it was taken out`,
    else: f.isMember
      ? `If it is gone for good: talosctl etcd remove-member ID (talosctl etcd members shows it), kubectl delete node ${f.node}, and take its host out of the hypervisors' cluster`
      : `If it is gone for good: kubectl delete node ${f.node}, and take its host out of the hypervisors' cluster`,
  });
