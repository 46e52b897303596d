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
