import { X509Certificate } from "node:crypto";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, expect, test } from "vitest";
import { dialDirect, realClock, realRandom, scaledClock } from "../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../pki/index.ts";
import { Connections } from "./connection.ts";
import { exchange } from "./exchange.ts";
import { connectProxmox, type CallInfo, type ProxmoxClient, type ProxmoxOptions } from "./index.ts";

interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  headers: Record<string, unknown>;
}
interface Reply {
  status?: number;
  reason?: string;
  data?: unknown;
  errors?: Record<string, string>;
  message?: string;
  text?: string;
  /** Cut the connection instead of answering. */
  cut?: true;
  silent?: true;
}

let authority: Identity;
let leaf: Identity;
const running: { close(): void }[] = [];

beforeAll(async () => {
  const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
  authority = await createAuthority({ kind: "p256", organization: "lab", ...dates });
  leaf = await issueCertificate({
    authority,
    commonName: "pve1",
    usages: ["server"],
    addresses: ["127.0.0.1"],
    names: ["localhost"],
    ...dates,
  });
});

afterEach(() => {
  for (const each of running.splice(0)) each.close();
});

/** A server that answers as `reply` says and remembers what it was asked. */
async function serve(reply: (seen: Seen, count: number) => Reply) {
  const seen: Seen[] = [];
  let connections = 0;
  const server = https.createServer({ key: leaf.key, cert: leaf.cert });
  server.on("request", (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const url = new URL(request.url ?? "", "https://x");
      const call: Seen = {
        method: request.method ?? "",
        path: decodeURIComponent(url.pathname.replace("/api2/json", "")),
        query: url.searchParams,
        form: new URLSearchParams(body),
        headers: request.headers,
      };
      seen.push(call);
      const said = reply(call, seen.length);
      if (said.silent) return;
      if (said.cut) {
        request.socket.destroy();
        return;
      }
      const { status = 200, data = null, message, errors } = said;
      if (said.text !== undefined) {
        response.writeHead(status, said.reason ?? "", { "content-type": "text/plain" }).end(said.text);
        return;
      }
      response.writeHead(status, said.reason ?? "OK", { "content-type": "application/json;charset=UTF-8" });
      response.end(JSON.stringify({ data, ...(message && { message }), ...(errors && { errors }) }));
    });
  });
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, seen, connections: () => connections };
}

function connect(url: string, options: Partial<ProxmoxOptions> = {}): ProxmoxClient {
  const client = connectProxmox({
    url,
    token: { id: "tool@pve!ci", secret: "12345678-secret" },
    trust: { ca: authority.cert },
    dial: dialDirect,
    clock: scaledClock(20),
    ...options,
  });
  running.push(client);
  return client;
}

const upid = (node: string, type = "qmcreate") =>
  `UPID:${node}:00001234:0008D099:6AFA1BBE:${type}:100:tool@pve!ci:`;

test("a call sends the token and unwraps the data", async () => {
  const server = await serve(() => ({ data: { version: "9.2.11" } }));
  expect(await connect(server.url).version()).toBe("9.2.11");
  expect(server.seen[0]?.headers["authorization"]).toBe("PVEAPIToken=tool@pve!ci=12345678-secret");
});

test("a wrong pin is refused before the token is sent", async () => {
  const server = await serve(() => ({ data: {} }));
  const client = connect(server.url, { trust: { fingerprint: "AA:".repeat(31) + "AA" } });
  await expect(client.version()).rejects.toMatchObject({ code: "PVE_TLS_UNTRUSTED", transient: false });
  expect(server.seen).toEqual([]);
});

test("the right pin is enough, in any spelling", async () => {
  const server = await serve(() => ({ data: { version: "9.2.11" } }));
  const pin = new X509Certificate(leaf.cert).fingerprint256;
  for (const fingerprint of [pin, pin.replaceAll(":", "").toLowerCase(), `sha256:${pin}`]) {
    expect(await connect(server.url, { trust: { fingerprint } }).version()).toBe("9.2.11");
  }
});

test("a certificate no CA vouches for is refused, naming its fingerprint", async () => {
  const server = await serve(() => ({ data: {} }));
  const failure = connect(server.url, { trust: { system: true } }).version();
  await expect(failure).rejects.toMatchObject({
    code: "PVE_TLS_UNTRUSTED",
    why: expect.stringContaining(new X509Certificate(leaf.cert).fingerprint256) as string,
  });
  expect(server.seen).toEqual([]);
});

test("a certificate for another name is refused even when the CA is right", async () => {
  const server = await serve(() => ({ data: {} }));
  const port = new URL(server.url).port;
  const client = connect(`https://other.example:${port}`, {
    dial: (to, signal) => dialDirect({ ...to, host: "127.0.0.1" }, signal),
  });
  await expect(client.version()).rejects.toMatchObject({ code: "PVE_TLS_UNTRUSTED" });
});

test("a refused login has its words in the reason phrase only", async () => {
  const server = await serve(() => ({ status: 401, reason: "Authentication failed!", text: "" }));
  await expect(connect(server.url).version()).rejects.toMatchObject({
    code: "PVE_LOGIN_REFUSED",
    why: "the API token was refused (Authentication failed!)",
  });
});

test.each([
  [403, "Permission check failed (/vms/100, VM.Audit)\n", "PVE_FORBIDDEN", false],
  [500, "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist\n", "PVE_NOT_FOUND", false],
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
  const server = await serve(() => ({ status, message }));
  const failure = connect(server.url).startMachine({ node: "pve1", vmid: 100 });
  await expect(failure).rejects.toMatchObject({ code, transient, what: "Cannot start machine 100" });
  expect(server.seen).toHaveLength(1);
});

test("a forbidden call names the right and the path", async () => {
  const message = "Permission check failed (/vms/100, VM.PowerMgmt)\n";
  const server = await serve(() => ({ status: 403, message }));
  await expect(connect(server.url).startMachine({ node: "pve1", vmid: 100 })).rejects.toMatchObject({
    why: "the token lacks VM.PowerMgmt on /vms/100",
    next: expect.stringContaining("pveum acl modify /vms/100") as string,
  });
});

test("a bad parameter is named with the server's own words", async () => {
  const server = await serve(() => ({
    status: 400,
    message: "Parameter verification failed.\n",
    errors: { scsi0: "invalid format - format error\n" },
  }));
  await expect(connect(server.url).createMachine("pve1", { vmid: 100 })).rejects.toMatchObject({
    code: "PVE_BAD_PARAMETER",
    why: "Proxmox says: scsi0: invalid format - format error",
  });
});

test("reads are repeated when the connection is cut or a node is out of reach, changes are not", async () => {
  const calls: CallInfo[] = [];
  const server = await serve((call, count) => {
    if (call.method !== "GET") return { cut: true };
    if (count === 1) return { cut: true };
    return count === 2 ? { status: 595, reason: "No route to host", text: "" } : { data: "105" };
  });
  const client = connect(server.url, { onCall: (info) => calls.push(info) });
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
  const server = await serve(() => ({ status: 595, reason: "No route to host", text: "" }));
  await expect(connect(server.url).machines("pve3")).rejects.toMatchObject({
    code: "PVE_NODE_UNREACHABLE",
    transient: true,
  });
  expect(server.seen).toHaveLength(3);
});

test("nobody listening is PVE_UNREACHABLE, for reads and changes alike", async () => {
  const client = connect("https://127.0.0.1:1", { trust: { insecure: true } });
  await expect(client.version()).rejects.toMatchObject({
    code: "PVE_UNREACHABLE",
    why: "https://127.0.0.1:1 refuses connections",
  });
  await expect(client.startMachine({ node: "a", vmid: 100 })).rejects.toMatchObject({
    code: "PVE_UNREACHABLE",
  });
});

test("a silent server is given up after the time limit", async () => {
  const server = await serve(() => ({ silent: true }));
  const client = connect(server.url, { callTimeoutMs: 200, clock: realClock });
  await expect(client.version()).rejects.toMatchObject({ code: "PVE_TIMEOUT", transient: true });
});

test("a caller who gives up gets the reason back", async () => {
  const server = await serve(() => ({ silent: true }));
  const stop = new AbortController();
  const asked = connect(server.url).version(stop.signal);
  setTimeout(() => stop.abort(new Error("enough")), 30);
  await expect(asked).rejects.toThrow("enough");
});

test("connections are reused, and dropped before the server would close them", async () => {
  const server = await serve(() => ({ data: { version: "9" } }));
  const url = new URL(server.url);
  const connections = new Connections({ url, trust: { ca: authority.cert }, dial: dialDirect, idleMs: 40 });
  running.push({ close: () => connections.destroy() });
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
});

test("at most twelve connections are open at a time", async () => {
  const server = await serve(() => ({ data: { version: "9" } }));
  const client = connect(server.url);
  await Promise.all(Array.from({ length: 60 }, () => client.version()));
  expect(server.seen).toHaveLength(60);
  expect(server.connections()).toBeLessThanOrEqual(12);
});

test("changes carry a form with its length, removals put everything in the query", async () => {
  const server = await serve((call) => ({
    data: call.path.endsWith("status") ? { status: "stopped", exitstatus: "OK" } : upid("pve1"),
  }));
  const client = connect(server.url);
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

test("a task is followed on the node its UPID names", async () => {
  const server = await serve((call, count) =>
    call.method === "POST"
      ? { data: upid("pve2") }
      : { data: { status: count < 4 ? "running" : "stopped", exitstatus: "OK" } },
  );
  const task = await connect(server.url).startMachine({ node: "pve1", vmid: 100 });
  await task.wait();
  expect(task.node).toBe("pve2");
  expect(server.seen.slice(1).map((call) => call.path)).toEqual(
    Array.from({ length: 3 }, () => `/nodes/pve2/tasks/${upid("pve2")}/status`),
  );
});

test("a task that ends with warnings has succeeded", async () => {
  const server = await serve(() => ({ data: { status: "stopped", exitstatus: "WARNINGS: 2" } }));
  await expect(connect(server.url).task(upid("pve1")).wait()).resolves.toBeUndefined();
});

test.each([
  ["VM is locked (backup)", "PVE_LOCKED", true],
  ["unexpected status", "PVE_TASK_FAILED", true],
  [
    "unable to create VM 302 - 403 Permission check failed (/vms/302, VM.Config.Options)",
    "PVE_FORBIDDEN",
    false,
  ],
  ["refusing to override existing file 'x.qcow2'", "PVE_ALREADY_EXISTS", false],
  ["start failed: QEMU exited with code 1", "PVE_TASK_FAILED", false],
])("a task ending with %j fails as %s", async (exitstatus, code, transient) => {
  const log = [
    { n: 1, t: "kvm: vlan needs a port" },
    { n: 2, t: `TASK ERROR: ${exitstatus}` },
  ];
  const server = await serve((call) => ({
    data: call.path.endsWith("/log") ? log : { status: "stopped", exitstatus },
  }));
  const failure = connect(server.url).task(upid("pve1"), "start machine 100").wait();
  await expect(failure).rejects.toMatchObject({ code, transient, what: "Cannot start machine 100" });
  await expect(failure).rejects.toMatchObject({
    cause: expect.objectContaining({
      message: expect.stringContaining("kvm: vlan needs a port") as string,
    }) as Error,
  });
});

test("a long task tells how far it is", async () => {
  let asked = 0;
  const server = await serve((call) => {
    if (call.path.endsWith("/log")) return { data: [{ n: 1, t: ` 50K .......... ${asked}% 1.2M 3s` }] };
    asked += 1;
    return { data: { status: asked > 40 ? "stopped" : "running", exitstatus: "OK" } };
  });
  const told: number[] = [];
  await connect(server.url)
    .task(upid("pve1", "download"))
    .wait(undefined, (percent) => told.push(percent));
  expect(told.length).toBeGreaterThan(0);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
});

test("many tasks of a node are followed with one list", async () => {
  const upids = Array.from({ length: 40 }, (_, n) => upid("pve1").replace("00001234", `0000${1000 + n}`));
  const startedAt = Date.now();
  const isOver = () => Date.now() - startedAt > 300;
  const server = await serve((call) => {
    if (call.path.endsWith("/tasks")) {
      return { data: isOver() ? [] : upids.map((each) => ({ upid: each, status: "RUNNING" })) };
    }
    return { data: { status: isOver() ? "stopped" : "running", exitstatus: "OK" } };
  });
  const client = connect(server.url);
  await Promise.all(upids.map((each) => client.task(each).wait()));
  const single = server.seen.filter((call) => call.path.endsWith("/status")).length;
  expect(single).toBeLessThanOrEqual(40 + 8);
});
