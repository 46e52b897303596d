import { execFileSync, spawnSync } from "node:child_process";
import { standIns } from "../addons/stand-ins.ts";
import { dialDirect, realRandom, scaledClock } from "../../../src/lib/index.ts";
import { loadFleet } from "../../../src/operations/index.ts";
import { rehearsalDatacenter } from "../../../src/operations/rehearsal/datacenter.ts";
import { noLatencies, startDatacenter, type SimNetwork } from "../../../src/sim/index.ts";
import type { SimElsewhereOptions } from "./sim-elsewhere.ts";

/** Runs in a namespace of its own and serves a simulated datacenter there, until it is ended. */
const options = JSON.parse(process.argv[2] ?? "{}") as SimElsewhereOptions;

const listening = new Map<string, number>();

/** An address exists as long as somebody listens at it: until then the hop in front knows no way to it. */
function plugIn(host: string): void {
  const count = listening.get(host) ?? 0;
  listening.set(host, count + 1);
  if (count > 0) return;
  execFileSync("ip", ["address", "replace", `${host}/32`, "dev", "lo"]);
  const { jumpHost, address } = options.behind;
  execFileSync("ip", ["-n", jumpHost, "route", "replace", `${host}/32`, "via", address]);
}

function unplug(host: string): void {
  const count = (listening.get(host) ?? 1) - 1;
  listening.set(host, count);
  if (count > 0) return;
  spawnSync("ip", ["-n", options.behind.jumpHost, "route", "delete", `${host}/32`]);
  spawnSync("ip", ["address", "delete", `${host}/32`, "dev", "lo"]);
}

const network: SimNetwork = {
  async listen(server, host, port) {
    plugIn(host);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.removeListener("error", reject);
        resolve();
      });
    });
    return {
      close: () =>
        new Promise((resolve) => {
          unplug(host);
          server.close(() => resolve());
        }),
    };
  },
  dial: dialDirect,
};

const loaded = await loadFleet(options.file);
if ("problems" in loaded) throw new Error(`the file is wrong: ${JSON.stringify(loaded)}`);
const description = rehearsalDatacenter(loaded.fleet, realRandom);
const datacenter = await startDatacenter({
  file: { ...description, latencies: { ...noLatencies, ...options.latencies } },
  entries: options.entries,
  network,
  clock: scaledClock(options.speed ?? 1),
  random: realRandom,
  standIns,
});
const token = Object.values(description.tokens)[0]?.secret ?? "";
process.stdout.write(`${JSON.stringify({ ca: datacenter.ca, token })}\n`);
