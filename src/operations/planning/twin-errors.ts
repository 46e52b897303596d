import { defineError } from "../../errors/index.ts";

export const nodeMayLive = defineError(
  "RUN_NODE_MAY_LIVE",
  (f: {
    cluster: string;
    node: string;
    why: string;
    /** Its machine is on no host any more: only the cluster still counts it. */
    isGone?: true | undefined;
  }) => ({
    what: `Cannot make a new machine for "${f.node}"`,
    why: f.isGone
      ? f.why
      : `${f.why}; a second ${f.node} would take its address, and both would run when the first comes back`,
    next: f.isGone
      ? `Take it out of etcd and make it again: slipway replace ${f.cluster}/${f.node}`
      : `Bring back the host where ${f.node} was, and put it back into the file if it was removed`,
  }),
  [{ isGone: true }],
);
