import { defineError } from "../../errors/index.ts";

export const nodeMayLive = defineError(
  "RUN_NODE_MAY_LIVE",
  (f: {
    cluster: string;
    node: string;
    why: string;
    /** Its machine is on no host any more: only the cluster still counts it. */
    isGone?: true | undefined;
    /** Its machine is there, and holds nothing of it any more: only the cluster still counts it. */
    isEmpty?: true | undefined;
    /** The host that may have it, where it does not answer. */
    host?: string | undefined;
  }) => ({
    what: f.isEmpty ? `Cannot make "${f.node}" a node again` : `Cannot make a new machine for "${f.node}"`,
    why:
      f.isGone || f.isEmpty
        ? f.why
        : `${f.why}; a second ${f.node} would take its address, and both would run when the first comes back`,
    next:
      f.isGone || f.isEmpty
        ? `Take it out of etcd and make it again: slipway replace ${f.cluster}/${f.node}`
        : `Bring back the host where ${f.node} was, and put it back into the file if it was removed`,
    else:
      f.host === undefined
        ? undefined
        : `If ${f.host} is lost for good: slipway up ${f.cluster} --host-lost ${f.host} makes its nodes again elsewhere`,
  }),
  [{ isGone: true }],
  [{ isEmpty: true }],
  [{ host: "<host>" }],
);

export const noHostLeft = defineError("RUN_NO_HOST_LEFT", (f: { cluster: string; hosts: string[] }) => ({
  what: `Cannot make the nodes of "${f.cluster}" elsewhere`,
  why: `it is on ${f.hosts.join(", ")} only, and without what is lost no host is left`,
  next: `Name another host in "on" of "${f.cluster}", then run the command again`,
}));
