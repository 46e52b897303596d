import { expect, test } from "vitest";
import { connectProxmox, type ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { dialDirect } from "../../../lib/index.ts";
import { defaultDatacenter } from "../../datacenter-file.ts";
import type { Fault } from "../../faults.ts";
import { bench, hosts, port, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

const vm = { vmid: "100", name: "cp-1", memory: "512", serial0: "socket" };
const machine = { node: "hydra", vmid: 100 };

const client = (box: Bench, token?: { id: string; secret: string }): ProxmoxClient =>
  connectProxmox({
    url: `https://${hosts.hydra}:${port}`,
    token: token ?? { id: "slipway@pve!main", secret: "5117a400-0000-4000-8000-000000000001" },
    trust: { ca: box.sim.ca },
    dial: dialDirect,
    clock: box.time.clock,
  });

/** Reads until it is closed; `text` is all that was heard. */
async function listen(from: ProxmoxClient) {
  const heard = { text: "", hasEnded: false, close: () => undefined as void };
  heard.close = await from.readConsole(machine, {
    data: (bytes) => (heard.text += bytes.toString()),
    end: () => (heard.hasEnded = true),
  });
  return heard;
}

const power = (box: Bench) => box.booted.at(-1)?.power;
const start = (box: Bench) => box.run("POST", "/nodes/hydra/qemu/100/status/start");

async function made(more: Record<string, string> = {}, faults: Fault[] = []): Promise<Bench> {
  const box = await bench({ faults });
  expect(await box.run("POST", "/nodes/hydra/qemu", { ...vm, ...more })).toBe("OK");
  return box;
}

test("a console is heard from the moment somebody listens, and through a reset [attack 3]", async () => {
  const box = await made();
  await start(box);
  power(box)?.print("before\r\n");
  const console = await listen(client(box));
  power(box)?.print("after\r\n");
  await expect.poll(() => console.text).toBe("after\r\n");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/reset")).toBe("OK");
  power(box)?.print("again\r\n");
  await expect.poll(() => console.text).toBe("after\r\nagain\r\n");
  await box.run("POST", "/nodes/hydra/qemu/100/status/stop");
  await expect.poll(() => console.hasEnded).toBe(true);
});

test("one reader has a console, the next one hears nothing until it leaves [attack 3]", async () => {
  const box = await made();
  await start(box);
  const from = client(box);
  const first = await listen(from);
  const second = await listen(from);
  power(box)?.print("one");
  await expect.poll(() => first.text).toBe("one");
  first.close();
  await expect
    .poll(() => {
      power(box)?.print("two");
      return second.text;
    })
    .toMatch(/^(two)+$/);
  expect(first.text).toBe("one");
  second.close();
});

test("a node has a hundred ports for the consoles it is asked for, wherever the machine is", async () => {
  const box = await made();
  await start(box);
  const open = (host: string) =>
    box.ask("POST", "/nodes/hydra/qemu/100/termproxy", { serial: "serial0" }, host);
  const first = await Promise.all(Array.from({ length: 100 }, () => open(hosts.hydra)));
  expect(first.every(({ status }) => status === 200)).toBe(true);
  expect((await open(hosts.hydra)).reason).toMatch(/unable to find free port/);
  const { data } = await open(hosts.lyra);
  expect(data).toMatchObject({ port: 5900 });
  const { ticket } = data as { ticket: string };
  const call = { port: "5900", vncticket: ticket };
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/vncwebsocket", call)).status).toBe(401);
});

test("a frozen machine says nothing until it is resumed [attack 3]", async () => {
  const box = await made({ freeze: "1" });
  await start(box);
  expect(box.booted).toEqual([]);
  const console = await listen(client(box));
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/resume")).toBe("OK");
  power(box)?.print("first line");
  await expect.poll(() => console.text).toBe("first line");
  console.close();
});

test("a stopped machine and one without a serial port are told apart [attack 3]", async () => {
  const box = await made();
  await expect(listen(client(box))).rejects.toMatchObject({ code: "PVE_CONSOLE_OFF" });
  await box.run("POST", "/nodes/hydra/qemu/100/config", { delete: "serial0" });
  await start(box);
  await expect(listen(client(box))).rejects.toMatchObject({ code: "PVE_NO_SERIAL_PORT" });
});

test("an old server that takes no tokens at its terminals is told as such [attack 3]", async () => {
  const box = await bench({ datacenter: { ...defaultDatacenter(), version: "8.4" } });
  await box.run("POST", "/nodes/hydra/qemu", vm);
  await start(box);
  await expect(listen(client(box))).rejects.toMatchObject({
    code: "PVE_CONSOLE_REFUSED",
    why: expect.stringContaining("qemu-server 9.1.7") as unknown,
  });
});

test.each(["refuse", "lost-reply"] as const)(
  "a console whose connection is lost at the login is opened again: %s",
  async (kind) => {
    const box = await made({}, [{ call: "proxmox LOGIN *", kind }]);
    await start(box);
    const console = await listen(client(box));
    power(box)?.print("heard");
    await expect.poll(() => console.text).toBe("heard");
    console.close();
  },
);

test("a console that is lost after every login is unreachable, not without a serial port", async () => {
  const box = await made({}, [{ call: "proxmox LOGIN *", kind: "lost-reply", times: 9 }]);
  await start(box);
  await expect(listen(client(box))).rejects.toMatchObject({ code: "PVE_UNREACHABLE", transient: true });
});

test("the right VM.Console is asked for by name, and a made-up ticket is refused [attack 3]", async () => {
  const file = defaultDatacenter();
  const box = await bench({
    datacenter: {
      ...file,
      roles: { ...file.roles, Blind: ["VM.Audit"] },
      tokens: { ...file.tokens, "slipway@pve!blind": { secret: "x", privsep: true } },
      acl: [...file.acl, { path: "/vms", token: "slipway@pve!blind", role: "Blind", propagate: true }],
    },
  });
  await box.run("POST", "/nodes/hydra/qemu", vm);
  await start(box);
  const blind = client(box, { id: "slipway@pve!blind", secret: "x" });
  await expect(listen(blind)).rejects.toMatchObject({
    code: "PVE_FORBIDDEN",
    why: "token slipway@pve!blind lacks VM.Console on /vms/100",
  });
  const forged = { port: "5900", vncticket: "PVEVNC:00000000::forged" };
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/vncwebsocket", forged)).status).toBe(401);
});
