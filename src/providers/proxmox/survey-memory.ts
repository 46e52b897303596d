import type { Found } from "./find-machine.ts";
import type { MachineKey } from "./machine-config.ts";

/** What the last survey saw, for the plan that follows it at once: a thousand machines are not asked one by one. */
export interface SurveyMemory {
  keep(seen: Seen): void;
  /** Undefined: ask. */
  recall(key: MachineKey, nowMs: number): Found | undefined;
  /** Something is about to happen to this machine, so what was seen no longer counts. */
  forget(key: { vmid: number }): void;
}

interface Seen {
  atMs: number;
  /** Per host and VMID, only machines with our mark. */
  ours: Map<string, Found>;
  taken: Map<string, Set<number>>;
}

const freshMs = 3_000;

export const memoryKey = (host: string, vmid: number): string => `${host}/${vmid}`;

export function surveyMemory(): SurveyMemory {
  let seen: Seen | undefined;
  let touched = new Set<number>();
  return {
    keep(now) {
      seen = now;
      touched = new Set();
    },
    recall(key, nowMs) {
      const taken = seen?.taken.get(key.host);
      if (!seen || !taken || nowMs - seen.atMs > freshMs || touched.has(key.vmid)) return undefined;
      if (!taken.has(key.vmid)) return { state: "absent" };
      const found = seen.ours.get(memoryKey(key.host, key.vmid));
      const isSame =
        found?.state === "ours" && found.have.cluster === key.cluster && found.have.node === key.node;
      return isSame ? found : undefined;
    },
    forget: (key) => {
      touched.add(key.vmid);
    },
  };
}
