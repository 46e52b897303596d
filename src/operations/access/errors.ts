import { defineError } from "../../errors/index.ts";

export const noAccessYet = defineError("RUN_NO_ACCESS_YET", (cluster: string) => ({
  what: `Cannot give access to "${cluster}"`,
  why: "it has no secrets on this machine yet, which access is made from",
  next: `Bring it up first: slipway up ${cluster}`,
  else: `Take over its secrets: slipway adopt ${cluster} --secrets FILE`,
}));

export const noKubernetesAccess = defineError("RUN_NO_ACCESS_TO_LINUX", (cluster: string) => ({
  what: `Cannot give access to "${cluster}"`,
  why: "its machines run plain Linux, without Kubernetes and Talos",
  next: `Use SSH: slipway ssh ${cluster}/NODE`,
}));

export const proxyPortTaken = defineError("RUN_PORT_TAKEN", (port: number, cause: unknown) => ({
  what: `Cannot listen at 127.0.0.1:${port}`,
  why: cause instanceof Error ? cause.message : "this machine refuses it",
  next: "Choose another port with --port, or leave it out for any free one",
  cause,
}));

export const kubeconfigUnreadable = defineError("RUN_NOT_A_KUBECONFIG", (file: string, why: string) => ({
  what: `Cannot merge into "${file}"`,
  why: `it is no kubeconfig: ${why}`,
  next: "Mend it (kubectl config view), or name another file with --into",
}));

export const kubeconfigForeign = defineError(
  "RUN_NOT_OUR_CONTEXT",
  (f: { into: string; list: string; name: string; owner?: string | undefined }) => ({
    what: `Cannot merge into "${f.into}"`,
    why: `${f.owner === undefined ? "somebody else" : `the cluster of ${f.owner}`} has "${f.name}" among its ${f.list}; it is left as it is`,
    next: "Rename or remove it there, or name another file with --into",
  }),
  [{ owner: undefined }],
);

export const kubeconfigLocked = defineError("RUN_NOT_NOW", (file: string, lock: string) => ({
  what: `Cannot write "${file}"`,
  why: `somebody else writes it: ${lock} is there`,
  next: "Try again; if nobody does any more, remove the lock",
}));
