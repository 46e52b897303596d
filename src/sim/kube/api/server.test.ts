import https from "node:https";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../../pki/index.ts";
import { faultBox, type Fault } from "../../faults.ts";
import { loopbackNetwork } from "../../network.ts";
import { kubeStore, registerNode, setNodeReady, startKubeApi, type KubeStore } from "../index.ts";

const host = "127.66.1.1";
const day = 86_400_000;
const validity = { notBefore: Date.now() - day, lifetimeMs: 2 * day, random: realRandom };

let ca: Identity;
let admin: Identity;
let serving: Identity;
let store: KubeStore;
let port = 26_443;
let stop: () => Promise<void> = () => Promise.resolve();

beforeEach(async () => {
  ca ??= await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  admin ??= await client("admin", "system:masters");
  serving ??= await issueCertificate({ authority: ca, usages: ["server"], addresses: [host], ...validity });
  store = kubeStore();
});

afterEach(() => stop());

const client = (commonName: string, ...organizations: string[]) =>
  issueCertificate({ authority: ca, commonName, organizations, usages: ["client"], ...validity });

async function start(faults: Fault[] = [], onDie = () => {}): Promise<void> {
  port += 1;
  const common = { network: loopbackNetwork(), host, port, store, clock: realClock, version: "1.36.3" };
  const api = await startKubeApi({
    ...common,
    ...serving,
    clientCa: ca.cert,
    faults: faultBox(faults),
    onDie,
  });
  stop = () => api.close();
}

interface Answer {
  code: number;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
}

function call(
  method: string,
  path: string,
  options: { identity?: Identity | undefined; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const identity = "identity" in options ? options.identity : admin;
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host, port, method, path, ca: ca.cert, ...identity, agent: false, headers: options.headers ?? {} },
      (response) => {
        let text = "";
        response.on("data", (part) => (text += part));
        response.on("end", () => {
          const isJson = response.headers["content-type"]?.includes("json");
          const body = (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>;
          resolve({ code: response.statusCode ?? 0, headers: response.headers, body });
        });
      },
    );
    request.on("error", reject);
    request.end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}

test("the API server tells strangers 401, other users 403, and masters what they ask", async () => {
  await start();
  expect(await call("GET", "/readyz")).toMatchObject({ code: 200, body: { text: "ok" } });
  expect(await call("GET", "/readyz", { identity: undefined })).toMatchObject({
    code: 401,
    body: { kind: "Status", reason: "Unauthorized" },
  });
  const otherCa = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const forged = await issueCertificate({
    authority: otherCa,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    ...validity,
  });
  expect(await call("GET", "/api/v1/nodes", { identity: forged })).toMatchObject({ code: 401 });
  expect(await call("GET", "/api/v1/nodes", { identity: await client("eve") })).toMatchObject({
    code: 403,
    body: {
      message:
        'nodes is forbidden: User "eve" cannot list resource "nodes" in API group "" at the cluster scope',
    },
  });
  expect(await call("GET", "/api/v1/nodes")).toMatchObject({
    code: 200,
    body: { kind: "NodeList", items: [] },
  });
  expect(await call("GET", "/version")).toMatchObject({ body: { gitVersion: "v1.36.3", minor: "36" } });
});

test("nodes appear in the table kubectl prints", async () => {
  registerNode(store, {
    name: "cp-1",
    address: "10.0.0.1",
    isControlPlane: true,
    kubeletVersion: "1.36.3",
    osImage: "Talos (v1.13.9)",
    kernelVersion: "6.18.0-talos",
    containerRuntime: "containerd://2.1.4",
    cores: 2,
    memoryMiB: 2048,
  });
  await start();
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const read = () => call("GET", "/api/v1/nodes", { headers: { accept } });
  expect((await read()).body).toMatchObject({
    rows: [{ cells: { 0: "cp-1", 1: "NotReady", 2: "control-plane", 4: "v1.36.3" } }],
  });
  setNodeReady(store, "cp-1", true);
  expect((await read()).body).toMatchObject({ rows: [{ cells: { 1: "Ready" } }] });
});

test("each fault looks to the client like the real trouble", async () => {
  const at = (kind: Fault["kind"]): Fault => ({ call: `kube GET /${kind}`, kind });
  let deaths = 0;
  const faults: Fault[] = [
    at("error"),
    at("unreachable"),
    at("lock"),
    at("refuse"),
    at("die"),
    { call: "kube POST /api/v1/namespaces", kind: "lost-reply" },
  ];
  await start(faults, () => (deaths += 1));
  expect(await call("GET", "/error")).toMatchObject({ code: 500, body: { reason: "InternalError" } });
  expect(await call("GET", "/unreachable")).toMatchObject({ code: 503 });
  expect(await call("GET", "/lock")).toMatchObject({ code: 429, headers: { "retry-after": "1" } });
  await expect(call("GET", "/refuse")).rejects.toThrow("socket hang up");
  await expect(call("GET", "/die")).rejects.toThrow("socket hang up");
  expect(deaths).toBe(1);
  await expect(call("POST", "/api/v1/namespaces", { body: { metadata: { name: "made" } } })).rejects.toThrow(
    "socket hang up",
  );
  expect(await call("GET", "/api/v1/namespaces/made")).toMatchObject({ code: 200 });
});

test("lists come in pages", async () => {
  await start();
  const first = await call("GET", "/api/v1/namespaces?limit=3");
  expect(first.body).toMatchObject({ metadata: { remainingItemCount: 1 }, items: { length: 3 } });
  const token = (first.body["metadata"] as { continue: string }).continue;
  const second = await call("GET", `/api/v1/namespaces?limit=3&continue=${token}`);
  expect(second.body).toMatchObject({ items: [{ metadata: { name: "kube-system" } }] });
});
