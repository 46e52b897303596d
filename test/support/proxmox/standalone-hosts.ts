import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { connectFactory } from "../../../src/clients/factory/index.ts";
import { connectProxmox } from "../../../src/clients/proxmox/index.ts";
import { CallTrace, realClock, realRandom, virtualTime } from "../../../src/lib/index.ts";
import { plainFiles } from "../../../src/secrets/index.ts";
import type { EventBody } from "../../../src/plan/index.ts";
import { faultBox, mappedNetwork, noLatencies, parseDatacenter } from "../../../src/sim/index.ts";
import { startFactory } from "../../../src/sim/factory/index.ts";
import { internetWithFactories } from "../../../src/sim/datacenter.ts";
import { simulatedInternet, startProxmox, type SimProxmox } from "../../../src/sim/proxmox/index.ts";
import { talosGuests } from "../../../src/sim/talos/index.ts";
import { isProxmoxHost, type Fleet, talosOf } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/world.ts";

/** Hosts that know nothing of each other, on one network: each a Proxmox of its own, with its own authority. */
export interface StandaloneHosts extends AsyncDisposable {
  proxmox: Map<string, SimProxmox>;
  world: World;
  events: EventBody[];
}

const secret = "00000000-0000-4000-8000-000000000011";

export async function standaloneHosts(fleet: Fleet): Promise<StandaloneHosts> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-standalone-"));
  const network = mappedNetwork();
  const { clock, background } = virtualTime({ isUnderWay: () => network.isUnderWay() });
  const faults = faultBox([]);
  const shared = { network, clock: background, latencies: noLatencies, faults };
  const factoryUrl = fleet.clusters.map((cluster) => talosOf(cluster).factory)[0] ?? "";
  const factory = await startFactory({ ...shared, url: factoryUrl, random: realRandom });
  const talos = talosGuests({ ...shared, random: realRandom, onChange: () => undefined });
  const started = fleet.hosts.filter(isProxmoxHost).map(async ({ name, proxmox: { url, node } }) => {
    const { hostname, port } = new URL(url);
    const server = await startProxmox({
      ...shared,
      datacenter: parseDatacenter(datacenterOf(node), name),
      entries: [{ node, host: hostname, port: Number(port) }],
      boot: talos.boot,
      internet: internetWithFactories([factory], simulatedInternet),
    });
    return [name, server] as const;
  });
  const proxmox = new Map(await Promise.all(started));
  const events: EventBody[] = [];
  const secretFiles = plainFiles(folder, realRandom);
  const world: World = {
    kind: "rehearsal",
    slipway: "test",
    clock,
    wall: realClock,
    random: realRandom,
    calls: new CallTrace(),
    redaction: secretFiles.redaction,
    dial: network.dial,
    dialFor: () => network.dial,
    addressOf: (host) => Promise.resolve(host),
    dialOver: () => network.dial,
    folder,
    secretFiles,
    filesInGit: () => Promise.resolve([]),
    stop: new AbortController().signal,
    tell: (event) => events.push(event),
    openHelm: () => Promise.reject(new Error("no helm is simulated")),
    fetchText: () => Promise.reject(new Error("nothing leaves this machine")),
    fetchFile: () => Promise.reject(new Error("nothing leaves this machine")),
    cacheFolder: path.join(folder, "cache"),
    openLibvirt: () => Promise.reject(new Error("there is no libvirt")),
    openBmc: () => Promise.reject(new Error("no management controller is simulated")),
    openOwnSsh: () => Promise.reject(new Error("nobody logs in here")),
    wake: () => Promise.resolve(),
    resolveSecret: () => Promise.resolve(""),
    openProxmox: async ({ name, proxmox: { url, token } }) =>
      connectProxmox({
        url,
        token: { id: token.id, secret },
        trust: { ca: proxmox.get(name)?.ca ?? "" },
        dial: network.dial,
        clock,
      }),
    openProxmoxAs: async ({ name, proxmox: { url } }, token) =>
      connectProxmox({ url, token, trust: { ca: proxmox.get(name)?.ca ?? "" }, dial: network.dial, clock }),
    openS3: () => Promise.reject(new Error("no bucket here")),
    runProgram: () => Promise.reject(new Error("no program here")),
    openFactory: (url) => connectFactory({ url, dial: network.dial, clock, trust: { ca: factory.ca } }),
  };
  return {
    proxmox,
    world,
    events,
    async [Symbol.asyncDispose]() {
      await Promise.all([...proxmox.values()].map((server) => server.close()));
      await talos.close();
      await factory.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const datacenterOf = (node: string): string =>
  JSON.stringify({
    nodes: { [node]: { cores: 32, memory: "64GiB" } },
    storages: {
      local: { type: "dir", size: "1TiB", content: ["iso", "import"] },
      "local-lvm": { type: "lvmthin", size: "1TiB", content: ["images"] },
    },
    users: { "slipway@pve": {} },
    acl: [{ path: "/", role: "Administrator", user: "slipway@pve" }],
    tokens: { "slipway@pve!main": { secret, privsep: false } },
  });
