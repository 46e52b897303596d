import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { scaledClock } from "../../../src/lib/index.ts";
import { defaultDatacenter, faultBox, loopbackNetwork, noLatencies } from "../../../src/sim/index.ts";
import type { BootGuest } from "../../../src/sim/guest.ts";
import { simulatedInternet, startProxmox } from "../../../src/sim/proxmox/index.ts";
import { realNodes, type RealNodes } from "./real-nodes.ts";
import { realProgram, type RealProgram } from "./real-program.ts";

/** A simulated Proxmox whose machines are real Talos nodes, a cluster file for it, and the program as typed. */
export interface RealSite extends RealProgram, AsyncDisposable {
  folder: string;
  nodes: RealNodes;
  /** Writes the cluster file anew: the lines of the cluster, indented by four blanks. */
  describe(lines: string): Promise<void>;
}

/** `net` is the network of the nodes, `host` where Proxmox listens, an address of its own in 127.0.0.0/8. */
export async function realSite(name: string, net: string, host: string, lines: string): Promise<RealSite> {
  const nodes = realNodes(net);
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-real-"));
  const datacenter = { ...defaultDatacenter(), latencies: noLatencies };
  const proxmox = await startProxmox({
    datacenter,
    entries: [{ node: "hydra", host, port: 8006 }],
    network: loopbackNetwork(),
    clock: scaledClock(1),
    latencies: noLatencies,
    faults: faultBox([]),
    boot: bootRealNode(nodes),
    internet: simulatedInternet,
  });
  await writeFile(path.join(folder, "ca.pem"), proxmox.ca);
  const describe = (cluster: string): Promise<void> =>
    writeFile(
      path.join(folder, "slipway.yaml"),
      `version: 1
hosts:
  hydra:
    proxmox:
      url: https://${host}:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
      tls: { ca: ca.pem }
clusters:
  ${name}:
    on: hydra
${cluster}    talos:
${nodes.talosLines}`,
    );
  await describe(lines);
  return {
    ...realProgram(folder, { PVE_TOKEN: datacenter.tokens["slipway@pve!main"]?.secret }),
    folder,
    nodes,
    describe,
    async [Symbol.asyncDispose]() {
      await proxmox.close();
      nodes.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Until the firmware of a machine has found its disk; a container would be there at once, before anybody listens. */
const firmwareMs = 5_000;

/** Power-on starts a node at the address of the seed; what is on its disk stays as long as the machine's disk does. */
const bootRealNode =
  (nodes: RealNodes): BootGuest =>
  (hardware, disks, power) => {
    const name = hardware.seed?.hostname ?? hardware.name;
    const [nic] = hardware.seed?.addresses ?? [];
    const address = nic?.cidr?.split("/")[0];
    const slot = hardware.boot.find(({ kind }) => kind === "disk")?.slot ?? "scsi0";
    const disk = (disks[slot] ??= {});
    const isNew = disk["booted"] === undefined;
    disk["booted"] = true;
    power.saved();
    // One after another: a machine may be stopped before it was started.
    let done = isNew ? nodes.wipe(name) : Promise.resolve();
    let deafen = (): void => undefined;
    if (address !== undefined) {
      done = done.then(async () => {
        await sleep(firmwareMs);
        deafen = nodes.listen(name, (text) => power.print(text.replaceAll("\n", "\r\n")));
        await nodes.start(name, address, nic?.mac.toLowerCase());
      });
    }
    const stop = (): Promise<void> => (done = done.then(() => nodes.stop(name)).then(() => deafen()));
    return {
      stop,
      shutdown: () => void stop().then(() => power.powerOff()),
      agentAddresses: () =>
        hardware.nics.map(({ mac }, index) => ({
          name: `eth${index}`,
          mac,
          addresses: nic?.cidr === undefined ? [] : [nic.cidr],
        })),
    };
  };
