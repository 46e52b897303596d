import { SlipwayError } from "../errors/index.ts";

export const noAccessYet = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NO_ACCESS_YET",
    what: `Cannot give access to "${cluster}"`,
    why: "it has no secrets on this machine yet, which access is made from",
    next: `Bring it up first: slipway up ${cluster}`,
    else: `Take over its secrets: slipway adopt ${cluster} --secrets FILE`,
  });

export const noKubernetesAccess = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NO_ACCESS_TO_LINUX",
    what: `Cannot give access to "${cluster}"`,
    why: "its machines run plain Linux, without Kubernetes and Talos",
    next: `Use SSH: slipway ssh ${cluster}/NODE`,
  });

export const proxyPortTaken = (port: number, cause: unknown) =>
  new SlipwayError({
    code: "RUN_PORT_TAKEN",
    what: `Cannot listen at 127.0.0.1:${port}`,
    why: cause instanceof Error ? cause.message : "this machine refuses it",
    next: "Choose another port with --port, or leave it out for any free one",
    cause,
  });
