import http from "node:http";
import type https from "node:https";
import net from "node:net";
import { isIP } from "node:net";
import { createHash, X509Certificate } from "node:crypto";
import { realRandom, type Clock, type Random } from "../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../pki/index.ts";
import type { DatacenterFile } from "../datacenter-file.ts";
import type { FaultBox } from "../faults.ts";
import type { BootGuest } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { Listening, SimNetwork } from "../network.ts";
import type { Cluster } from "./cluster.ts";
import { Consoles } from "./vm/consoles.ts";
import { simulatedInternet, type Internet } from "./nodes/internet.ts";
import { noHa } from "./ha/state.ts";
import { callManager, callManagerForAll } from "./ha/manager.ts";
import { ownChance } from "./hash-order.ts";
import { createLocks } from "./locks.ts";
import { setNode, type NodePower } from "./nodes/node-power.ts";
import { createApiServer } from "./http/server.ts";
import { freshState, type ProxmoxState } from "./state.ts";
import { endLeftovers } from "./tasks.ts";
import { bootVm, cutPower } from "./vm/power.ts";

export interface ProxmoxOptions {
  datacenter: DatacenterFile;
  /** Where the API of a node listens. */
  entries: { node: string; host: string; port: number }[];
  network: SimNetwork;
  clock: Clock;
  /** Settles what the real server leaves to chance; by default chance does. */
  random?: Random;
  latencies: Latencies;
  faults: FaultBox;
  boot: BootGuest;
  internet?: Internet;
  /** What an earlier run left behind. */
  saved?: ProxmoxState | undefined;
  /** Told after every change of the state; the caller keeps it. */
  onChange?(): void;
}

/** A running simulated cluster. */
export interface SimProxmox {
  /** The cluster's own authority, PEM. */
  ca: string;
  /** SHA-256 of the certificate of the first entry, `AA:BB:…`. */
  fingerprint: string;
  /** The same for every node. */
  fingerprints: Record<string, string>;
  /** Everything needed to go on after a restart; plain JSON. */
  state(): ProxmoxState;
  /** Switches a node off, cuts it off from the others, or brings it back. */
  setNode(node: string, power: NodePower): Promise<void>;
  /** A machine loses its power and no task says so, as when the kernel kills its process for memory. */
  cutPower(vmid: number): Promise<void>;
  /** Back to what the datacenter file says. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const year = 365 * 24 * 3_600_000;

/**
 * Starts the API of a simulated Proxmox VE cluster. After a restart with saved state, tasks that were under way read
 * `unexpected status`, a machine whose create died keeps its `lock: create`, and what was running boots again.
 */
export async function startProxmox(options: ProxmoxOptions): Promise<SimProxmox> {
  const { datacenter, clock, saved } = options;
  const addresses = Object.fromEntries(options.entries.map(({ node, host }) => [node, host]));
  const secrets = saved ?? (await makeSecrets(datacenter, addresses, clock));
  const fingerprints = Object.fromEntries(
    Object.entries(secrets.certificates).map(([node, { cert }]) => [
      node,
      new X509Certificate(cert).fingerprint256,
    ]),
  );
  const cluster: Cluster = {
    file: datacenter,
    version: datacenter.version === "9.2" ? 9 : 8,
    clock,
    random: ownChance(options.random ?? realRandom),
    latencies: options.latencies,
    faults: options.faults,
    boot: options.boot,
    internet: options.internet ?? simulatedInternet,
    locks: createLocks(clock),
    consoles: new Consoles(clock),
    addresses,
    fingerprints,
    state: saved ? restore(saved) : freshState(datacenter, secrets, clock.now()),
    guests: new Map(),
    workers: new Map(),
    changed: () => options.onChange?.(),
    wentOff: (vmid) => callManager(cluster, vmid),
  };
  if (saved) wakeUp(cluster);
  const servers: { door: ReturnType<typeof frontDoor>; listening: Listening }[] = [];
  for (const { node, host, port } of options.entries) {
    const identity = cluster.state.certificates[node];
    if (!identity) throw new Error(`the datacenter has no node "${node}"`);
    const server = createApiServer(cluster, node, identity);
    const door = frontDoor(server);
    servers.push({ door, listening: await options.network.listen(door.server, host, port) });
  }
  // Last, so that a caller told of changes already has what this function returns.
  bootRunning(cluster);
  return {
    ca: secrets.authority.cert,
    fingerprint: fingerprints[options.entries[0]?.node ?? ""] ?? "",
    fingerprints,
    state: () => cluster.state,
    setNode: (node, power) => setNode(cluster, node, power),
    async cutPower(vmid) {
      const vm = cluster.state.vms[vmid];
      if (vm) await cutPower(cluster, vm);
    },
    async reset() {
      await quiesce(cluster);
      cluster.state = freshState(datacenter, secrets, clock.now());
      bootRunning(cluster);
      cluster.changed();
    },
    async close() {
      for (const { door, listening } of servers) {
        // Nobody new comes in once the door is shut; whoever is still inside then has to go.
        const shut = listening.close();
        door.closeAll();
        await shut;
      }
      await quiesce(cluster);
    },
  };
}

/** What an older simulator saved lacks what it did not know. */
const restore = (saved: Partial<ProxmoxState>): ProxmoxState =>
  ({ ha: noHa(), offline: {}, ...structuredClone(saved) }) as ProxmoxState;

/** Every node has just booted. A clock that ran faster than this one may have dated things in the future. */
function wakeUp(cluster: Cluster): void {
  const now = cluster.clock.now();
  cluster.state.bootedAt = now;
  for (const vm of Object.values(cluster.state.vms)) {
    vm.createdAt = Math.min(vm.createdAt, now);
    vm.powerChangedAt = Math.min(vm.powerChangedAt, now);
  }
  endLeftovers(cluster);
  callManagerForAll(cluster);
}

function bootRunning(cluster: Cluster): void {
  for (const vm of Object.values(cluster.state.vms)) if (vm.running) bootVm(cluster, vm);
}

/** Nobody works any more and no guest runs; what the state says of them stays. */
async function quiesce(cluster: Cluster): Promise<void> {
  const workers = [...cluster.workers.values()];
  for (const { abort } of workers) abort.abort(new Error("received interrupt"));
  const guests = [...cluster.guests.values()];
  cluster.guests.clear();
  await Promise.all(guests.map((guest) => guest.stop()));
  await Promise.all(workers.map(({ done }) => done));
}

async function makeSecrets(
  datacenter: DatacenterFile,
  addresses: Record<string, string>,
  clock: Clock,
): Promise<Pick<ProxmoxState, "ticketKey" | "authority" | "certificates">> {
  const validity = { notBefore: clock.now() - 3_600_000, lifetimeMs: 10 * year, random: realRandom };
  const authority = await createAuthority({
    kind: "p256",
    organization: "Proxmox Virtual Environment",
    ...validity,
  });
  const certificates: Record<string, Identity> = {};
  for (const node of Object.keys(datacenter.nodes)) {
    const places = [addresses[node], datacenter.nodes[node]?.address].filter((place) => place !== undefined);
    const isAddress = (place: string): boolean => isIP(place) > 0;
    certificates[node] = await issueCertificate({
      authority,
      commonName: `${node}.${datacenter.cluster}`,
      organizations: ["PVE Cluster Node"],
      usages: ["server"],
      addresses: [...new Set(["127.0.0.1", "::1", ...places.filter(isAddress)])],
      names: [
        ...new Set([
          "localhost",
          node,
          `${node}.${datacenter.cluster}`,
          ...places.filter((it) => !isAddress(it)),
        ]),
      ],
      ...validity,
    });
  }
  const ticketKey = createHash("sha256").update(realRandom.bytes(32)).digest("hex");
  return { ticketKey, authority, certificates };
}

const tlsHandshake = 22;

/** The port of an API: TLS goes in, and who speaks plain HTTP is sent to https as by the real server. */
function frontDoor(api: https.Server): { server: net.Server; closeAll(): void } {
  const open = new Set<net.Socket>();
  const signpost = http.createServer((request, response) => {
    const location = `https://${request.headers.host ?? "localhost"}${request.url ?? "/"}`;
    response.writeHead(301, "Moved Permanently", { Location: location, Connection: "close" });
    response.end();
  });
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === tlsHandshake ? api : signpost).emit("connection", socket);
      queueMicrotask(() => socket.resume());
    });
  });
  return {
    server,
    closeAll() {
      for (const socket of open) socket.destroy();
    },
  };
}
