import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { serveScript } from "../../../test/support/proxmox/fake-server.ts";
import { dialDirect, virtualTime } from "../../lib/index.ts";
import { Connections } from "./wire/connection.ts";
import { exchange } from "./wire/exchange.ts";
import type { CallInfo } from "./index.ts";

const upid = "UPID:pve1:00001234:0008D099:6AFA1BBE:qmcreate:100:tool@pve!ci:";

test("a call sends the token and unwraps the data", async () => {
  using server = await serveScript(() => ({ data: { version: "9.2.11" } }));
  expect(await server.connect().version()).toBe("9.2.11");
  expect(server.seen[0]?.headers["authorization"]).toBe("PVEAPIToken=tool@pve!ci=12345678-secret");
});

test("a wrong pin is refused before the token is sent", async () => {
  using server = await serveScript(() => ({ data: {} }));
  const client = server.connect({ trust: { fingerprint: "AA:".repeat(31) + "AA" } });
  await expect(client.version()).rejects.toMatchObject({ code: "PVE_TLS_UNTRUSTED", transient: false });
  expect(server.seen).toEqual([]);
});

test("the right pin is enough, in any spelling", async () => {
  using server = await serveScript(() => ({ data: { version: "9.2.11" } }));
  const pin = new X509Certificate(server.cert).fingerprint256;
  for (const fingerprint of [pin, pin.replaceAll(":", "").toLowerCase(), `sha256:${pin}`]) {
    expect(await server.connect({ trust: { fingerprint } }).version()).toBe("9.2.11");
  }
});

test("a certificate no CA vouches for is refused, naming its fingerprint", async () => {
  using server = await serveScript(() => ({ data: {} }));
  const failure = server.connect({ trust: { system: true } }).version();
  await expect(failure).rejects.toMatchObject({
    code: "PVE_TLS_UNTRUSTED",
    why: expect.stringContaining(new X509Certificate(server.cert).fingerprint256) as string,
  });
  expect(server.seen).toEqual([]);
});

test("a certificate for another name is refused even when the CA is right", async () => {
  using server = await serveScript(() => ({ data: {} }));
  const port = new URL(server.url).port;
  const client = server.connect({
    url: `https://other.example:${port}`,
    dial: (to, signal) => dialDirect({ ...to, host: "127.0.0.1" }, signal),
  });
  await expect(client.version()).rejects.toMatchObject({ code: "PVE_TLS_UNTRUSTED" });
});

test("a refused login has its words in the reason phrase only", async () => {
  using server = await serveScript(() => ({ status: 401, reason: "Authentication failed!", text: "" }));
  await expect(server.connect().version()).rejects.toMatchObject({
    code: "PVE_LOGIN_REFUSED",
    why: "the API token was refused (Authentication failed!)",
  });
});

test.each([
  [403, "Permission check failed (/vms/100, VM.Audit)\n", "PVE_FORBIDDEN", false],
  [500, "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist\n", "PVE_NOT_FOUND", false],
  [500, "no such user ('ghost@pve')\n", "PVE_NOT_FOUND", false],
  [500, "unable to create VM 100 - VM 100 already exists on node 'pve2'\n", "PVE_ALREADY_EXISTS", false],
  [500, "VM is locked (backup)\n", "PVE_LOCKED", true],
  [500, "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout\n", "PVE_LOCKED", true],
  [500, "got no worker upid - start worker failed\n", "PVE_LOCKED", true],
  [500, "cluster not ready - no quorum?\n", "PVE_NO_QUORUM", true],
  [
    500,
    "unable to open file '/etc/pve/nodes/N/qemu-server/1.conf.tmp.2' - Permission denied\n",
    "PVE_NO_QUORUM",
    true,
  ],
  [500, "something new\n", "PVE_REFUSED", false],
  [501, "Method 'POST /nope' not implemented\n", "PVE_BAD_PARAMETER", false],
])("status %i with %j is %s", async (status, message, code, transient) => {
  using server = await serveScript(() => ({ status, message }));
  const failure = server.connect().startMachine({ node: "pve1", vmid: 100 });
  await expect(failure).rejects.toMatchObject({ code, transient, what: "Cannot start machine 100" });
  expect(server.seen).toHaveLength(1);
});

test("a forbidden call names the right and the path", async () => {
  const message = "Permission check failed (/vms/100, VM.PowerMgmt)\n";
  using server = await serveScript(() => ({ status: 403, message }));
  await expect(server.connect().startMachine({ node: "pve1", vmid: 100 })).rejects.toMatchObject({
    why: "token tool@pve!ci lacks VM.PowerMgmt on /vms/100",
    next: "Give the token what the file needs: slipway proxmox grant",
  });
});

test("a bad parameter is named with the server's own words", async () => {
  using server = await serveScript(() => ({
    status: 400,
    message: "Parameter verification failed.\n",
    errors: { scsi0: "invalid format - format error\n" },
  }));
  await expect(server.connect().createMachine("pve1", { vmid: 100 })).rejects.toMatchObject({
    code: "PVE_BAD_PARAMETER",
    why: "Proxmox says: scsi0: invalid format - format error",
  });
});

test("reads are repeated when the connection is cut or a node is out of reach, changes are not", async () => {
  const calls: CallInfo[] = [];
  using server = await serveScript((call, count) => {
    if (call.method !== "GET") return { cut: true };
    if (count === 1) return { cut: true };
    return count === 2 ? { status: 595, reason: "No route to host", text: "" } : { data: "105" };
  });
  const client = server.connect({ onCall: (info) => calls.push(info) });
  expect(await client.nextFreeId()).toBe(105);
  expect(calls.map((each) => each.status)).toEqual([0, 595, 200]);
  expect(calls.map((each) => each.attempt)).toEqual([1, 2, 3]);
  await expect(client.startMachine({ node: "pve1", vmid: 100 })).rejects.toMatchObject({
    code: "PVE_UNREACHABLE",
    transient: true,
  });
  expect(server.seen).toHaveLength(4);
  expect(JSON.stringify(calls)).not.toContain("secret");
});

test("a node that stays out of reach is a failure worth repeating", async () => {
  using server = await serveScript(() => ({ status: 595, reason: "No route to host", text: "" }));
  await expect(server.connect().machines("pve3")).rejects.toMatchObject({
    code: "PVE_NODE_UNREACHABLE",
    transient: true,
  });
  expect(server.seen).toHaveLength(3);
});

test("nobody listening is PVE_UNREACHABLE, for reads and changes alike", async () => {
  using server = await serveScript(() => ({}));
  const client = server.connect({ url: "https://127.0.0.1:1", trust: { insecure: true } });
  await expect(client.version()).rejects.toMatchObject({
    code: "PVE_UNREACHABLE",
    why: "https://127.0.0.1:1 refuses connections",
  });
  await expect(client.startMachine({ node: "a", vmid: 100 })).rejects.toMatchObject({
    code: "PVE_UNREACHABLE",
  });
});

test("a silent server is given up after the time limit", async () => {
  using server = await serveScript(() => ({ unreachable: true }));
  const client = server.connect({ callTimeoutMs: 200 });
  await expect(client.version()).rejects.toMatchObject({ code: "PVE_TIMEOUT", transient: true });
});

test("a caller who gives up gets the reason back", async () => {
  using server = await serveScript(() => ({ unreachable: true }));
  const stop = new AbortController();
  const { clock } = virtualTime();
  const asked = server.connect({ clock }).version(stop.signal);
  clock.after(1_000, () => stop.abort(new Error("enough")));
  await expect(asked).rejects.toThrow("enough");
});

test("connections are reused, and dropped before the server would close them", async () => {
  using server = await serveScript(() => ({ data: { version: "9" } }));
  const url = new URL(server.url);
  const connections = new Connections({ url, trust: { ca: server.ca }, dial: dialDirect, idleMs: 40 });
  const ask = () =>
    exchange(
      connections,
      { method: "GET", target: "/", host: url.host, headers: {} },
      AbortSignal.timeout(5_000),
    );
  await ask();
  await ask();
  expect(server.connections()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 90));
  await ask();
  expect(server.connections()).toBe(2);
  connections.destroy();
});

test("at most twelve connections are open at a time", async () => {
  using server = await serveScript(() => ({ data: { version: "9" } }));
  const client = server.connect();
  await Promise.all(Array.from({ length: 60 }, () => client.version()));
  expect(server.seen).toHaveLength(60);
  expect(server.connections()).toBeLessThanOrEqual(12);
});

test("changes carry a form with its length, removals put everything in the query", async () => {
  using server = await serveScript((call) => ({
    data: call.path.endsWith("status") ? { status: "stopped", exitstatus: "OK" } : upid,
  }));
  const client = server.connect();
  await client.createMachine("pve1", { vmid: 100, description: "a=b;c&d +ü\nline", onboot: true });
  await client.removeMachine({ node: "pve1", vmid: 100 });
  await client.removeVolume("pve1", "local", "local:import/x y.qcow2");
  const [create, remove, volume] = server.seen;
  expect(create?.headers["content-length"]).toBeDefined();
  expect(create?.headers["transfer-encoding"]).toBeUndefined();
  expect(Object.fromEntries(create?.form ?? [])).toEqual({
    vmid: "100",
    description: "a=b;c&d +ü\nline",
    onboot: "1",
  });
  expect(Object.fromEntries(remove?.query ?? [])).toEqual({ purge: "1", "destroy-unreferenced-disks": "1" });
  expect(remove?.form.size).toBe(0);
  expect(remove?.headers["content-type"]).toBeUndefined();
  expect(volume?.path).toBe("/nodes/pve1/storage/local/content/local:import/x y.qcow2");
});

test("a connection is given up before its hundredth request, where Proxmox would end it", async () => {
  using server = await serveScript(() => ({ data: { version: "9" } }));
  const client = server.connect();
  for (let count = 0; count < 100; count += 1) await client.version();
  expect(server.connections()).toBe(2);
});

test("lists come in one order, whatever the server's is [proxmox 11]", async () => {
  const answers: Record<string, unknown[]> = {
    "/nodes": [{ node: "pve2" }, { node: "pve1" }],
    "/nodes/pve1/storage": [{ storage: "zfs", content: "rootdir,images" }, { storage: "local" }],
    "/nodes/pve1/qemu": [{ vmid: 1000 }, { vmid: 200 }],
    "/cluster/resources": [{ vmid: 1000 }, { vmid: 200 }],
    "/pools": [{ poolid: "prod" }, { poolid: "lab" }],
  };
  using server = await serveScript(({ path }) => ({ data: answers[path.split("?")[0] ?? ""] }));
  const client = server.connect();
  expect((await client.nodes()).map(({ node }) => node)).toEqual(["pve1", "pve2"]);
  const storages = await client.storages("pve1");
  expect(storages.map(({ name }) => name)).toEqual(["local", "zfs"]);
  expect(storages[1]?.content).toEqual(["images", "rootdir"]);
  expect((await client.machines("pve1")).map(({ vmid }) => vmid)).toEqual([200, 1000]);
  expect((await client.guests()).map(({ vmid }) => vmid)).toEqual([200, 1000]);
  expect(await client.pools()).toEqual(["lab", "prod"]);
});
