import { readFile } from "node:fs/promises";
import path from "node:path";
import { replaceNode } from "../../../src/operations/index.ts";
import { dialDirect, realClock } from "../../../src/lib/index.ts";
import { realisticLatencies } from "../../../src/sim/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type Told } from "../sim/rehearsal-site.ts";
import type { ReachReport } from "../sim/reach-prober.ts";
import type { RealRack } from "./real-rack.ts";
import { watchApi } from "./watch-api.ts";

/** The same story can be played here: on real nodes, or on those of the simulator. */
export interface Ground {
  /** The cluster as these lines say; throws when that fails. */
  up(lines: string): Promise<void>;
  replace(node: string): Promise<void>;
  /** Power and disk of a machine are gone; it comes back in maintenance mode. */
  lose(node: string): Promise<void>;
  watch(): Promise<ReachReport>;
  nowMs(): number;
}

/** By what a cluster is reached: its control planes by name, and the address they share. */
interface Doors {
  controlPlanes: string[];
  vip: string;
}

export const realGround = (rack: RealRack, { controlPlanes, vip }: Doors): Ground => ({
  async up(lines) {
    await rack.describe(lines);
    await rack.said("up", "--yes");
  },
  async replace(node) {
    await rack.said("replace", `lab/${node}`, "--yes");
  },
  async lose(node) {
    await rack.lose(node);
    const index = Object.keys(rack.addresses).indexOf(node);
    while ((await rack.states())[index] !== "maintenance") await realClock.sleep(500);
  },
  async watch() {
    const kubeconfig = await readFile(path.join(rack.folder, ".slipway/lab/kubeconfig"), "utf8");
    return watchApi({
      kubeconfig,
      controlPlanes: pick(rack.addresses, controlPlanes),
      vip,
      knocks: 2_379,
      dial: dialDirect,
      clock: realClock,
    });
  },
  nowMs: () => realClock.now(),
});

/** The same machines in the simulated datacenter, with the latencies that rehearsals have. */
export async function simulatedGround(
  rack: Pick<RealRack, "addresses" | "fileOf">,
  { controlPlanes, vip }: Doors,
  first: string,
): Promise<Ground & AsyncDisposable> {
  const fleetFor = (lines: string) => fleetOf(rack.fileOf(lines));
  let fleet = fleetFor(first);
  const site = await rehearsalSite(fleet, { latencies: realisticLatencies });
  const { clock } = site.rehearsal.time;
  const never = new AbortController().signal;
  const succeeded = ({ runReport, events }: Pick<Told, "runReport" | "events">): void => {
    if (runReport.outcome !== "done") throw new Error(`${runReport.outcome}: ${errorsIn(events).join("; ")}`);
  };
  return {
    async up(lines) {
      fleet = fleetFor(lines);
      succeeded(await site.up(fleet));
    },
    async replace(node) {
      const events: Told["events"] = [];
      const world = site.rehearsal.world(never, (event) => void events.push(event));
      const runReport = await replaceNode({ fleet, node, confirm: () => Promise.resolve(true) }, world);
      succeeded({ runReport, events });
    },
    async lose(node) {
      const { metal } = site.rehearsal.datacenter;
      await metal.cutPower(node);
      const disks = metal.state()[node]?.disks ?? {};
      for (const slot of Object.keys(disks)) disks[slot] = {};
      metal.switchOn(node);
      await site.pass(realisticLatencies.bootMs);
    },
    async watch() {
      return watchApi({
        kubeconfig: await readFile(path.join(site.folder, "lab/kubeconfig"), "utf8"),
        controlPlanes: pick(rack.addresses, controlPlanes),
        vip,
        knocks: 50_000,
        dial: site.rehearsal.world(never, () => {}).dialFor("lab"),
        clock,
      });
    },
    nowMs: () => clock.now(),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

const pick = (of: Record<string, string>, names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, of[name] ?? ""]));
