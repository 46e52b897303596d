import { expect, test } from "vitest";
import { connectProxmox } from "../../clients/proxmox/index.ts";
import { dialDirect } from "../../lib/index.ts";
import type { ReadContext } from "../../plan/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";
import { siteHost } from "../../../test/support/proxmox/site.ts";
import { bench, hosts, port, type Bench } from "../../../test/support/sim-proxmox-bench.ts";
import { keysAsNew, proxmoxConsoles } from "./consoles.ts";
import { hostRegistry } from "./host-registry.ts";

const written = (text: string): string => decodeURIComponent(keysAsNew(encodeURIComponent(text)));

test("the same keys come again with another comment, every time another", () => {
  const keys = "ssh-rsa AAAA somebody at home\nssh-ed25519 BBBB\n";
  const once = written(keys);
  expect(once).toBe("ssh-rsa AAAA somebody at home\nssh-ed25519 BBBB slipway-2\n");
  expect(written(once)).toBe("ssh-rsa AAAA somebody at home\nssh-ed25519 BBBB slipway-3\n");
});

const fileUrl = `https://${hosts.hydra}:${port}`;
/** As many as Slipway reads at one server. */
const places = 60;

/** Machines on lyra and hydra, both hosts reached through hydra, where every console that Slipway takes is taken. */
async function crowded(connectAs: (host: ProxmoxHost) => ProxmoxHost = (host) => host) {
  const box = await bench();
  const onNode = { hydra: 100, lyra: 101 };
  for (const [node, vmid] of Object.entries(onNode)) {
    const config = { vmid: String(vmid), name: `on-${node}`, memory: "512", serial0: "socket" };
    expect(await box.run("POST", `/nodes/${node}/qemu`, config)).toBe("OK");
    expect(await box.run("POST", `/nodes/${node}/qemu/${vmid}/status/start`)).toBe("OK");
  }
  const asked: { url: string; tls: ProxmoxHost["proxmox"]["tls"] }[] = [];
  const clients = new Map<string, ReturnType<typeof connectProxmox>>();
  const registry = (hostsOfFile: ProxmoxHost[]) => hostRegistry(hostsOfFile, connect);
  const connect = async (host: ProxmoxHost) => {
    const { url, tls } = connectAs(host).proxmox;
    const known = clients.get(url);
    if (known) return known;
    asked.push({ url, tls });
    const token = { id: "slipway@pve!main", secret: "5117a400-0000-4000-8000-000000000001" };
    const trust = "fingerprint" in tls ? tls : { ca: box.sim.ca };
    const client = connectProxmox({ url, token, trust, dial: dialDirect, clock: box.time.clock });
    clients.set(url, client);
    return client;
  };
  const through = (name: string): ProxmoxHost => {
    const host = siteHost(name, name);
    return { ...host, proxmox: { ...host.proxmox, url: fileUrl } };
  };
  const file = [through("hydra"), through("lyra")];
  const first = await connect(through("hydra"));
  const nobody = { data: () => undefined, end: () => undefined };
  const readers = await Promise.all(
    Array.from({ length: places }, () => first.readConsole({ node: "hydra", vmid: 100 }, nobody)),
  );
  const log: string[] = [];
  const ctx: ReadContext = {
    signal: new AbortController().signal,
    clock: box.time.clock,
    log: (_level, text) => log.push(text),
  };
  const listen = (name: "hydra" | "lyra", on: string = name) => {
    const consoles = proxmoxConsoles(registry(file), { placeOf: () => on }, connect);
    const machine = { cluster: "lab", node: `on-${name}`, host: name, id: onNode[name] };
    const heard = { text: "" };
    const opened = consoles.listen(ctx, machine, {
      heard: (bytes) => (heard.text += bytes.toString()),
      ended: () => undefined,
    });
    return { heard, opened };
  };
  return { box, asked, log, listen, leave: () => readers.forEach((close) => close()) };
}

const print = (box: Bench, name: string, text: string): void =>
  box.booted.find(({ hardware }) => hardware.name === name)?.power.print(text);

test("where the asked server has no console left, the node of a machine is asked at its own address", async () => {
  const { box, asked, listen } = await crowded();
  const { heard, opened } = listen("lyra");
  const close = await opened;
  print(box, "on-lyra", "hello");
  await expect.poll(() => heard.text).toBe("hello");
  expect(asked).toEqual([
    expect.objectContaining({ url: fileUrl }),
    { url: `https://${hosts.lyra}:${port}`, tls: { fingerprint: box.sim.fingerprints["lyra"] } },
  ]);
  close();
});

test.each([
  ["on the asked server itself", "hydra", "hydra"],
  ["that has left its host", "lyra", "hydra"],
] as const)("the console of a machine %s waits for one that is closed", async (_, host, on) => {
  const { asked, listen, leave } = await crowded();
  const { opened } = listen(host, on);
  let isOpen = false;
  const waited = opened.catch(() => undefined).then(() => (isOpen = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(false);
  leave();
  await waited;
  expect(asked.map(({ url }) => url)).toEqual([fileUrl]);
});

test("a node that does not answer at its own address is read through the asked server, one after the other", async () => {
  const other = Array.from({ length: 32 }, () => "AA").join(":");
  const { log, listen, leave } = await crowded((host) =>
    host.proxmox.url === fileUrl
      ? host
      : { ...host, proxmox: { ...host.proxmox, tls: { fingerprint: other } } },
  );
  const { opened } = listen("lyra");
  await expect
    .poll(() => log)
    .toEqual([expect.stringMatching(/^consoles of lyra are read at the address in the file: /)]);
  leave();
  (await opened)();
});
