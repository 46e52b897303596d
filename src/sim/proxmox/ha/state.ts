/** What the cluster keeps running by itself, and where: plain JSON. Rules belong to 9, groups to 8. */
export interface HaState {
  /** By id, `vm:100`. */
  resources: Record<string, HaResource>;
  rules: Record<string, HaRule>;
  groups: Record<string, HaGroup>;
}

export interface HaResource {
  state?: string;
  comment?: string;
  group?: string;
  max_restart?: number;
  max_relocate?: number;
  failback?: boolean;
  addedAt: number;
  /** Where the manager was asked to bring it; gone once it has tried. */
  moveTo?: string;
}

export interface HaRule {
  type: "node-affinity" | "resource-affinity";
  resources: string[];
  /** Name and priority. */
  nodes?: Record<string, number>;
  strict?: boolean;
  affinity?: "positive" | "negative";
  comment?: string;
  disable?: boolean;
}

export interface HaGroup {
  nodes: string;
  comment?: string;
  nofailback?: boolean;
  restricted?: boolean;
}

export const noHa = (): HaState => ({ resources: {}, rules: {}, groups: {} });
