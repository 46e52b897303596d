import { AsyncLocalStorage } from "node:async_hooks";
import net from "node:net";
import { dialDirect, realClock, realRandom } from "../../../src/lib/index.ts";
import { faultBox, noLatencies } from "../../../src/sim/index.ts";
import type { Guest, GuestDisk, GuestDisks } from "../../../src/sim/guest.ts";
import type { SimNetwork } from "../../../src/sim/network.ts";
import { talosGuests, type TalosGuests } from "../../../src/sim/talos/index.ts";

/**
 * The other end of the stand-in guests (lab/stand-in-guest). Real are the machine, its firmware, disks, cards, seed and
 * addresses, and the way of every connection through it; what it wrote lies on its own disk. Simulated, in this
 * process, is the system on it. It is made from what the machine reports and from nothing else: a seed that names
 * the wrong card, a disk that is missing or a machine that does not start has no node here. A reboot asked of Talos
 * restarts the simulated system only; a power-off is the machine's own.
 */
export interface StandIns {
  talos: TalosGuests;
  /** Each power-on so far, as the machine saw itself from inside. */
  reports: MachineReport[];
  /** Host names of the machines that are up. */
  up(): string[];
  /** What a workload on a machine would write to one of its disks, `vdb`. */
  write(hostname: string, disk: string, content: GuestDisk): void;
  close(): Promise<void>;
}

export interface MachineReport {
  talos: string;
  uuid: string;
  cores: number;
  memoryMiB: number;
  isUefi: boolean;
  cards: string[];
  hostname: string;
  addresses: { mac: string; cidr: string; gateway?: string }[];
  nameservers: string[] | null;
  /** `content`: what was last written to it from here. */
  disks: { name: string; sizeBytes: number; serial: string; content?: GuestDisk }[];
  /** The files of the seed. */
  seed: Record<string, string>;
}

/** As in lab/stand-in-guest/main.go. */
const servicePort = 45_131;
/** A machine tells twice a second that it is still there; emulated on a busy host, not always in time. */
const silenceMs = 15_000;

interface Machine {
  report: MachineReport;
  /** Who answers at which of its addresses, e.g. `10.0.0.11:50000`. */
  ports: Map<string, net.Server>;
  tell(order: object): void;
}

/** Listens for machines on all addresses: the one they know is only made while a cluster comes up. */
export async function startStandIns(): Promise<StandIns> {
  const speaking = new AsyncLocalStorage<Machine>();
  const machines = new Map<string, { machine: Machine; leave: () => Promise<void> }>();
  const reports: MachineReport[] = [];
  const sockets = new Set<net.Socket>();
  const talos = talosGuests({
    network: networkOf(speaking),
    clock: realClock,
    latencies: noLatencies,
    faults: faultBox([]),
    random: realRandom,
  });
  const service = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    void firstLine(socket).then(async (line) => {
      const { called, machine: report } = line as { called?: string; machine?: MachineReport };
      if (called !== undefined) {
        const server = [...machines.values()].map(({ machine }) => machine.ports.get(called)).find(Boolean);
        if (server) server.emit("connection", socket);
        else socket.destroy();
      } else if (report !== undefined) {
        await machines.get(report.uuid)?.leave();
        reports.push(structuredClone(report));
        const powered = powerOn(report, socket, { talos, speaking });
        machines.set(report.uuid, powered);
        socket.once("close", () => {
          if (machines.get(report.uuid) === powered) machines.delete(report.uuid);
        });
      }
    });
  });
  await listenWhenFree(service);
  return {
    talos,
    reports,
    up: () => [...machines.values()].map(({ machine }) => machine.report.hostname).toSorted(),
    write(hostname, disk, content) {
      for (const { machine } of machines.values())
        if (machine.report.hostname === hostname) machine.tell({ write: { disk, content } });
    },
    async close() {
      service.close();
      for (const socket of sockets) socket.destroy();
      await talos.close();
    },
  };
}

/** The port is the one that the machines know, so that another test file may have it now. */
async function listenWhenFree(service: net.Server): Promise<void> {
  for (;;) {
    const thrown = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      service.once("error", resolve);
      service.listen(servicePort, () => {
        service.off("error", resolve);
        resolve(undefined);
      });
    });
    if (!thrown) return;
    if (thrown.code !== "EADDRINUSE") throw thrown;
    await realClock.sleep(1_000);
  }
}

/** Starts a simulated system for a machine that has reported, until the machine is gone. */
function powerOn(
  report: MachineReport,
  socket: net.Socket,
  { talos, speaking }: { talos: TalosGuests; speaking: AsyncLocalStorage<Machine> },
): { machine: Machine; leave: () => Promise<void> } {
  const tell = (order: object): void => void (socket.writable && socket.write(`${JSON.stringify(order)}\n`));
  const machine: Machine = { report, ports: new Map(), tell };
  const disks: GuestDisks = Object.fromEntries(
    report.disks.map(({ name, content }) => [name, content ?? {}]),
  );
  const written = new Map(report.disks.map(({ name, content }) => [name, JSON.stringify(content ?? {})]));
  const saved = (): void => {
    for (const [disk, content] of Object.entries(disks)) {
      const text = JSON.stringify(content);
      if (text !== written.get(disk)) tell({ write: { disk, content } });
      written.set(disk, text);
    }
  };
  const power = {
    powerOff: () => tell({ powerOff: true }),
    saved,
    print: (text: string) => tell({ print: text }),
  };
  const guest: Guest = speaking.run(machine, () => talos.boot(hardwareOf(report), disks, power));
  let text = "";
  socket.setTimeout(silenceMs, () => socket.destroy());
  socket.setEncoding("utf8").on("data", (part: string) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    if (lines.some((line) => line.includes("powerButton"))) guest.shutdown?.();
  });
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => void guest.stop().then(resolve));
  });
  const leave = (): Promise<void> => {
    socket.destroy();
    return ended;
  };
  return { machine, leave };
}

const hardwareOf = (report: MachineReport): Parameters<TalosGuests["boot"]>[0] => ({
  name: report.hostname,
  uuid: report.uuid,
  host: "",
  cores: report.cores,
  memoryMiB: report.memoryMiB,
  nics: report.cards.map((mac) => ({ mac, bridge: "" })),
  disks: report.disks.map(({ name, sizeBytes }) => ({ slot: name, sizeBytes })),
  boot: [{ kind: "disk", slot: report.disks[0]?.name ?? "", image: `nocloud-amd64-${report.talos}.qcow2` }],
  seed: {
    hostname: report.hostname,
    addresses: report.addresses,
    nameservers: report.nameservers ?? [],
    userData: report.seed["user-data"] ?? "",
  },
});

/** A node listens on its machine: the machine is told, and passes on what comes. */
const networkOf = (speaking: AsyncLocalStorage<Machine>): SimNetwork => ({
  dial: dialDirect,
  listen(server, host, port) {
    const machine = speaking.getStore();
    if (machine === undefined) throw new Error(`nobody listens on ${host}:${port}`);
    const { ports, tell } = machine;
    const key = `${host}:${port}`;
    const open = new Set<net.Socket>();
    const count = (socket: net.Socket): void => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    };
    server.on("connection", count);
    ports.set(key, server);
    tell({ listen: [...ports.keys()] });
    const close = async (): Promise<void> => {
      if (ports.get(key) === server) ports.delete(key);
      tell({ listen: [...ports.keys()] });
      await Promise.all(
        [...open].map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))),
      );
    };
    return Promise.resolve({ close });
  },
});

/** The rest stays in the socket, for whoever reads it next. */
function firstLine(socket: net.Socket): Promise<object> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const take = (): void => {
      for (let part: Buffer | null; (part = socket.read() as Buffer | null) !== null;) {
        read = Buffer.concat([read, part]);
        const end = read.indexOf("\n");
        if (end < 0) continue;
        socket.removeListener("readable", take);
        if (read.length > end + 1) socket.unshift(read.subarray(end + 1));
        resolve(JSON.parse(read.subarray(0, end).toString()) as object);
        return;
      }
    };
    socket.on("readable", take);
  });
}
