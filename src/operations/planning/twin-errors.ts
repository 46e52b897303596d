import { defineError } from "../../errors/index.ts";

export const nodeMayLive = defineError(
  "RUN_NODE_MAY_LIVE",
  (f: {
    cluster: string;
    node: string;
    why: string;
    /** What lets the cluster forget it. */
    howToForget: string;
  }) => ({
    what: `Cannot make a new machine for "${f.node}"`,
    why: `${f.why}; a second ${f.node} would take its address, and both would run when the first comes back`,
    next: `Bring back the host where ${f.node} was, and put it back into the file if it was removed`,
    else: `If it is gone for good: ${f.howToForget}, and take its host out of the hypervisors' cluster`,
  }),
);
