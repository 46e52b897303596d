import type { StepId } from "./events.ts";

/** `cp-1` of `homelab/machine/cp-1`. */
export const nameOfStep = (id: StepId): string => id.slice(id.lastIndexOf("/") + 1);

/** `homelab` of `homelab/machine/cp-1`. */
export const clusterOfStep = (id: StepId): string => id.split("/", 1)[0] ?? "";

/** `machine/cp-1` of `homelab/machine/cp-1`. */
export const stepInCluster = (id: StepId): StepId => id.slice(id.indexOf("/") + 1);
