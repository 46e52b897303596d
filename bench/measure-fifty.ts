import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { upFleet, downFleet } from "../src/operations/index.ts";
import { realisticLatencies } from "../src/sim/index.ts";
import {
  findTerraform,
  terraformApply,
  terraformDestroy,
  writeTerraformFleet,
} from "../test/support/programs/terraform.ts";
import { benchDatacenter } from "./bench-fleet.ts";
import { failedTasks, untilIdle } from "./failed-tasks.ts";
import { benchWorld, mustBeDone, readFleet, secret } from "./measure-up.ts";
import { startSim } from "./sim-process.ts";

export interface FiftyFigures {
  machines: number;
  floorMs: number;
  upMs: number;
  downMs: number;
  failedTasks: number;
  /** The same machines by Terraform and bpg, by how many things it works on at once; empty without it. */
  terraform: { parallelism: number; upMs: number; downMs: number; failedTasks: number }[];
}

const hosts = ["hydra", "lyra", "orion"];
const machines = 50;
const net = "127.65";
const token = "slipway@pve!main";
/** Ten is Terraform's default; fifty lets it do everything at once. */
const parallelisms = [10, 50];

/** Fifty machines on three hosts, from an image to power-on and back to nothing, in real time: others' clocks run no faster. */
export async function measureFifty(): Promise<FiftyFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-fifty-"));
  const datacenter = path.join(folder, "datacenter.yaml");
  await writeFile(datacenter, benchDatacenter(hosts, secret, "realistic"));
  const address = `${net}.255.1`;
  const sim = await startSim(datacenter, `${address}:8006`, 1);
  const asked = { address, ca: sim.ca, token: `${token}=${secret}`, nodes: hosts };
  const failures = () => failedTasks(asked);
  try {
    const fleet = readFleet(fiftyFile(address, sim.fingerprint));
    const world = benchWorld(folder, 1);
    const confirm = () => Promise.resolve(true);
    const up = await upFleet({ fleet, selection: {}, until: "machines", acceptDataLoss: [], confirm }, world);
    mustBeDone(up);
    const down = await downFleet({ fleet, selection: {}, isDataLossAccepted: true, confirm }, world);
    mustBeDone(down);
    const own = { upMs: up.tookMs, downMs: down.tookMs, failedTasks: (await failures()).length };
    const terraform = [];
    for (const parallelism of findTerraform() === undefined ? [] : parallelisms) {
      const before = (await failures()).length;
      const work = path.join(folder, `terraform-${parallelism}`);
      const caFile = path.join(folder, "ca.pem");
      await writeFile(caFile, sim.ca);
      await writeTerraformFleet({
        folder: work,
        endpoint: `https://${address}:8006`,
        token: { id: token, secret },
        caFile,
        nodes: hosts,
        count: machines,
        from: "image",
      });
      const upMs = await terraformApply(work, { parallelism });
      const downMs = await terraformDestroy(work, { parallelism });
      await untilIdle(asked);
      terraform.push({ parallelism, upMs, downMs, failedTasks: (await failures()).length - before });
    }
    return { machines, floorMs: floorOfFifty(), ...own, terraform };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Two disks for each machine: the system's, and the small one that tells it its address. */
const disksEach = 2;

/** The last machine of the fullest host: everybody's disks are set aside before its own, then it is copied and started. */
function floorOfFifty(): number {
  const { apiCallMs, downloadMs, allocateMs, importMs, resizeMs, startMs } = realisticLatencies;
  const onOneHost = Math.ceil(machines / hosts.length);
  return downloadMs + onOneHost * disksEach * allocateMs + importMs + resizeMs + startMs + 4 * apiCallMs;
}

const fiftyFile = (address: string, fingerprint: string): string => `version: 1
hosts:
${hosts
  .map(
    (name) => `  ${name}:
    proxmox:
      url: https://${address}:8006
      token: { id: "${token}", secret: { env: PVE_TOKEN } }
      tls: { fingerprint: "${fingerprint}" }`,
  )
  .join("\n")}
clusters:
  fifty:
    on: [${hosts.join(", ")}]
    network: { cidr: ${net}.0.0/16, gateway: ${net}.255.254 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: ${net}.0.10, vmid: 2000 }
    workers: { count: ${machines - 1}, cores: 2, memory: 2GiB, disk: 20GiB, address: ${net}.1.1, vmid: 3000 }
`;
