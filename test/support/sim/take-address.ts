import type { Dial } from "../../../src/lib/index.ts";
import type { World } from "../../../src/world/world.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** Once something is being changed, the intruder answers for this address, whoever else is there. Returns how to leave. */
export function takeAddress(
  site: RehearsalSite,
  intruder: { before(dial: Dial, address: string): Dial },
  address: string,
  when: "at once" | "after preflight" = "after preflight",
): () => void {
  const { world } = site.rehearsal;
  site.rehearsal.world = (stop, tell) => {
    let isThere = when === "at once";
    const plain = world(stop, (event) => {
      isThere ||= event.type === "started";
      tell(event);
    });
    const dialFor: World["dialFor"] = (cluster) => {
      const dial = plain.dialFor(cluster);
      const taken = intruder.before(dial, address);
      return (to, signal) => (isThere ? taken : dial)(to, signal);
    };
    return { ...plain, dialFor };
  };
  return () => (site.rehearsal.world = world);
}
