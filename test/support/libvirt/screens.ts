import { chmodSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { noLines, type Shell } from "../../../src/cli/shell.ts";
import {
  encodeHeader,
  packetStatus,
  PacketReader,
  type Packet,
} from "../../../src/clients/libvirt/wire/packet.ts";
import { errorBody } from "../../../src/clients/libvirt/wire/procedures.ts";
import { encode } from "../../../src/clients/libvirt/wire/xdr.ts";
import { testScreen } from "../screens/canvas.ts";
import { screenFolder } from "../screens/screen-folder.ts";
import { libvirtSocket } from "./libvirtd.ts";
import { CallTrace, Redaction } from "../../../src/lib/index.ts";

/** What a cluster file says of a libvirt host here; everything left out is right. */
export interface LibvirtSaid {
  uri?: string;
  /** More fields of the host. */
  host?: string;
  pool?: string;
  network?: string;
  machine?: string;
  cluster?: string;
  /** More hosts, each a line. */
  hosts?: string;
  on?: string;
}

export interface LibvirtScreens extends Disposable {
  /** Readable by everybody; holds the cluster file. */
  folder: string;
  /** Runs a command in this process and gives all it wrote, without what differs between computers. */
  screen(command: "plan" | "up" | "status", said: LibvirtSaid): Promise<{ code: number; text: string }>;
}

/** The screens that a person sees who has a libvirt host with something wrong with it. */
export function libvirtScreens(name: string, cidr: string): LibvirtScreens {
  const folder = screenFolder("libvirt");
  chmodSync(folder, 0o755);
  const file = path.join(folder, "slipway.yaml");
  writeFileSync(path.join(folder, "empty.raw"), Buffer.alloc(2 ** 20));
  return {
    folder,
    async screen(command, said) {
      writeFileSync(file, clusterText(name, cidr, said));
      const out = testScreen({ columns: 100, isTerminal: false });
      const shell: Shell = {
        env: { HOME: folder, USER: "ops" },
        out,
        err: out,
        calls: new CallTrace(),
        redaction: new Redaction(),
        canAsk: false,
        ask: () => Promise.reject(new Error("nobody is asked here")),
        askSecret: () => Promise.reject(new Error("nobody is asked here")),
        stop: new AbortController().signal,
        onSecondStop: () => {},
        onLeaving: () => {},
        lines: noLines,
        disclose: () => {},
      };
      const { run } = (await import(`../../../src/cli/commands/${command}.ts`)) as {
        run(shell: Shell, options: object, args: string[]): Promise<number>;
      };
      const code = await run(shell, { file, until: "machines", yes: true }, []);
      return { code, text: stable(out.text, folder) };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const stable = (text: string, folder: string): string =>
  text
    .replaceAll(`${folder}${path.sep}`, "")
    .replaceAll(/ +slipway\.yaml, read .* ago/g, "   slipway.yaml, read just now")
    .replaceAll(/\b\d{8}-\d{6}\w*/g, "RUN")
    .replaceAll(/memory left after .*/g, "memory left after   …")
    .replaceAll(/[\d.]+ GiB free of [\d.]+ GiB/g, "N GiB free of N GiB")
    .replaceAll(/it has \d+ GiB free/g, "it has N GiB free")
    .replaceAll(/Free \d[\d.]* GiB/g, "Free N GiB")
    .replaceAll(/(?<=127\.0\.0\.1\]?:|-p )\d{5}/g, "PORT")
    .replaceAll(/SHA256:[\w+/=]+/g, "SHA256:…")
    .replaceAll(/AAAA[\w+/=]+/g, "AAAA…")
    // What else is on this computer, and whether its router answers for addresses that nobody has.
    .replaceAll(/libvirt has [^;]*? there\n/g, "libvirt has … there\n")
    .replaceAll(/(?<=exists: pool: ).*/g, "…")
    .replaceAll(/its bridges: [^]*?(?=\n {2}at)/g, "its bridges: …")
    .replaceAll(/\d+ free of \d+ ×/g, "N free of N ×")
    .replaceAll(/\n✗ Cannot use an address [^]*$/g, "")
    .replaceAll(/Preflight: \d+ of \d+ checks/g, "Preflight: N of N checks")
    .replaceAll(/\s+\d+(\.\d+)?\s?m?s$/gm, "")
    .replaceAll(/^ *\d+\.\ds /gm, "")
    .replaceAll(/\d+(\.\d+)?\s?m?s( ago)?\b(?!\w)/g, "N s$2")
    .replaceAll(/ +$/gm, "");

const clusterText = (name: string, cidr: string, said: LibvirtSaid): string => `version: 1
hosts:
  desk: { libvirt: { uri: "${said.uri ?? "qemu:///system"}", pool: ${said.pool ?? `{ name: ${name}, path: /var/lib/libvirt/${name} }`} }${said.host ?? ""} }
${said.hosts ?? ""}clusters:
  ${name}:
    on: ${said.on ?? "desk"}
    image: { file: empty.raw }
    network: { cidr: ${cidr}, ${said.network ?? "libvirt: { create: isolated }"} }
    controlPlanes: { count: 1, memory: 2GiB, disk: 10GiB${said.machine ?? ""} }
${said.cluster ?? ""}`;

/** What is put in the place of an answer, by the number of the call. */
export type Altered = Record<number, { error: { code: number; message: string } } | { payload: Buffer }>;

/** The daemon of this machine with some of its answers changed, on a socket of its own: for faults that it does not have. */
export async function alteredDaemon(
  socket: string,
  altered: Altered,
): Promise<Disposable & { socket: string }> {
  const open = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(libvirtSocket ?? "");
    for (const each of [near, far]) {
      open.add(each);
      each.on("error", () => undefined);
      each.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (bytes) => far.write(bytes));
    const reader = new PacketReader();
    far.on("data", (bytes) => {
      for (const packet of reader.push(bytes)) {
        const answer = answered(packet, altered[packet.procedure]);
        near.write(Buffer.concat([encodeHeader(answer), answer.payload]));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    [Symbol.dispose]() {
      for (const each of open) each.destroy();
      server.close();
    },
  };
}

function answered(packet: Packet, change: Altered[number] | undefined): Packet {
  if (!change) return packet;
  if ("payload" in change) return { ...packet, payload: change.payload };
  const body = { code: change.error.code, domain: 0, message: change.error.message, level: 2 };
  return { ...packet, status: packetStatus.error, payload: encode(errorBody, body) };
}
