import type { ControllerCondition, ControllerObject, SecretKeyRef } from "./common.ts";

/** Hypervisors that clusters share: `hosts:` of the cluster file. A hypervisor belongs in one of these objects only. */
export interface SlipwayHostsSpec {
  /** As in a cluster file, by name. Secrets, and files such as `ca`, are `{ secret: { name, key } }`. */
  hosts: Record<string, Record<string, unknown>>;
  limits?: HostLimits;
  /** The age key that opens documents of clusters on these hosts. Left out: those in the environment of the controller. */
  ageKey?: SecretKeyRef;
}

export interface HostLimits {
  /** How many clusters of these hosts may be changed at the same time; 4 if not given. */
  runs?: number;
}

export interface SlipwayHostsStatus {
  observedGeneration: number;
  conditions: ControllerCondition[];
  hosts: HostState[];
  clusters: number;
}

export interface HostState {
  name: string;
  isReachable: boolean;
  machines: number;
  /** Why it cannot be asked. */
  message?: string;
}

export type SlipwayHosts = ControllerObject<SlipwayHostsSpec, SlipwayHostsStatus> & { kind: "SlipwayHosts" };

export const runLimitOf = ({ spec }: SlipwayHosts): number => spec.limits?.runs ?? 4;
