import { isSame, machineKey } from "../survey/own-survey.ts";
import type { MachineHave, MachineKey } from "./machine-want.ts";

/** Where machines were put a moment ago, for whoever listens to them at once. It only saves calls. */
export interface JustMade {
  /** A machine was made or changed, and looked at afterwards. */
  add(have: MachineHave, nowMs: number): void;
  /** The Proxmox node it is on. Undefined: ask. */
  placeOf(key: MachineKey, nowMs: number): string | undefined;
  /** Something is about to happen to this machine. */
  forget(key: { vmid: number }): void;
}

const freshMs = 3_000;

export function justMade(): JustMade {
  const made = new Map<string, { atMs: number; have: MachineHave }>();
  return {
    add: (have, atMs) => void made.set(machineKey(have.host, have.vmid), { atMs, have }),
    placeOf(key, nowMs) {
      const last = made.get(machineKey(key.host, key.vmid));
      return last && nowMs - last.atMs <= freshMs && isSame(last.have, key) ? last.have.on : undefined;
    },
    forget(key) {
      for (const [place, { have }] of made) if (have.vmid === key.vmid) made.delete(place);
    },
  };
}
