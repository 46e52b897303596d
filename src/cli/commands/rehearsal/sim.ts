import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { addons, standInsOf } from "../../../addons/index.ts";
import { realRandom, scaledClock } from "../../../lib/index.ts";
import {
  defaultDatacenter,
  loopbackNetwork,
  parseDatacenter,
  startDatacenter,
  type DatacenterFile,
  type DatacenterOptions,
} from "../../../sim/index.ts";
import { notLoopback, portTaken } from "../../errors.ts";
import type { CommonOptions } from "../../options.ts";
import { untilStopped, type Shell } from "../../shell.ts";
import { renderDatacenter } from "../../views/index.ts";

interface SimOptions extends CommonOptions {
  datacenter?: string;
  listen: string;
  state?: string;
  speed?: number;
}

/** Serves the simulated datacenter until it is interrupted. */
export async function run(shell: Shell, options: SimOptions): Promise<number> {
  const file =
    options.datacenter === undefined
      ? defaultDatacenter()
      : parseDatacenter(await readFile(options.datacenter, "utf8"), options.datacenter);
  const [host = "127.0.0.1", port = "8006"] = options.listen.split(":");
  if (!isLoopback(host)) throw notLoopback(host);
  const entries = Object.keys(file.nodes).map((node, index) => ({ node, host, port: Number(port) + index }));
  const sockets = await mkdtemp(path.join(os.tmpdir(), "slipway-sim-"));
  const daemons = Object.keys(file.libvirt).map((name, index) => ({
    ...{ name, host, port: libvirtPort + index },
    socket: path.join(sockets, `${name}.sock`),
  }));
  const datacenter = await startDatacenter({
    file,
    entries: [...entries, ...ownEntries(file, host)],
    libvirtEntries: daemons.flatMap(({ name, socket, ...tcp }) => [
      { name, ...tcp },
      { name, socket },
    ]),
    network: loopbackNetwork(),
    clock: scaledClock(options.speed ?? file.speed),
    random: realRandom,
    standIns: await standInsOf(addons),
    stateFile: options.state,
  }).catch(async (thrown: NodeJS.ErrnoException & { address?: string; port?: number }) => {
    await rm(sockets, { recursive: true, force: true });
    throw thrown.code === "EADDRINUSE" ? portTaken(`${thrown.address}:${thrown.port}`) : thrown;
  });
  if (options.json) {
    const urls = entries.map((entry) => `https://${entry.host}:${entry.port}`);
    const { fingerprint, ca } = datacenter;
    const libvirt = Object.fromEntries(daemons.map(({ name, socket }) => [name, socketUri(socket)]));
    shell.lines.tell({ type: "listening", urls, libvirt, fingerprint, ca });
  } else {
    shell.out.write(
      renderDatacenter(
        {
          hosts: [
            ...entries.map(({ node, ...at }) => ({ name: node, address: `https://${at.host}:${at.port}` })),
            ...daemons.map(({ name, socket, ...tcp }) => ({
              ...{ name, address: socketUri(socket), also: `qemu+tcp://${tcp.host}:${tcp.port}/system` },
            })),
          ],
          tokens: Object.entries(file.tokens).map(([id, { secret }]) => ({ id, secret })),
          fingerprint: entries.length > 0 ? datacenter.fingerprint : undefined,
        },
        shell.out,
      ),
    );
  }
  await untilStopped(shell);
  await datacenter.close();
  await rm(sockets, { recursive: true, force: true });
  return 0;
}

/** That of a real daemon; further hosts count up from it. */
const libvirtPort = 16_509;

/** As virsh takes it, and a cluster file too. */
const socketUri = (socket: string): string => `qemu+unix:///system?socket=${socket}`;

/** Where nodes listen that have an address beside the one they share here: all at the port of a real one. */
const ownEntries = ({ nodes }: DatacenterFile, shared: string): DatacenterOptions["entries"] =>
  Object.entries(nodes).flatMap(([node, { address = shared }]) =>
    address !== shared && isLoopback(address) ? [{ node, host: address, port: 8006 }] : [],
  );

const isLoopback = (host: string): boolean => /^127(\.\d{1,3}){3}$/.test(host);
