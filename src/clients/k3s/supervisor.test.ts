import type http from "node:http";
import https from "node:https";
import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { dialDirect, realClock, realRandom } from "../../lib/index.ts";
import { issueCertificate } from "../../pki/index.ts";
import { createK3sBundle } from "../../secrets/index.ts";
import { connectSupervisor, type SupervisorOptions } from "./index.ts";

const making = { clock: realClock, random: realRandom, rsaBits: 2048 };
const bundle = await createK3sBundle(making);
const stranger = await createK3sBundle(making);
const ca = bundle.authorities.server.cert;

const status = (code: number, message: string) => ({
  code,
  text: JSON.stringify({ kind: "Status", code, message }),
});
const served: Record<string, { code: number; text: string }> = {
  "/ping": { code: 200, text: "pong" },
  "/cacerts": { code: 200, text: ca },
  "/v1-k3s/readyz": status(503, "runtime core not ready"),
  "/db/info": {
    code: 200,
    text: '{"members":[{"ID":12345678901234567890,"name":"cp-1-8f3a","peerURLs":["https://10.0.0.10:2380"],"clientURLs":["https://10.0.0.10:2379"]},{"ID":7,"peerURLs":["https://10.0.0.11:2380"],"isLearner":true}]}\n',
  },
};

interface Peer {
  by?: typeof bundle;
  address?: string;
  answers?: typeof served;
  notBefore?: number;
}

/** A server that shows a certificate of an authority and answers what it is told to. */
async function peer({
  by = bundle,
  address = "127.0.0.1",
  answers = served,
  notBefore = Date.now() - 1000,
}: Peer = {}) {
  const identity = await issueCertificate({
    authority: by.authorities.server,
    commonName: "k3s",
    usages: ["server"],
    addresses: [address],
    notBefore,
    lifetimeMs: 600_000,
    random: realRandom,
  });
  const seen: http.IncomingHttpHeaders[] = [];
  const put: string[] = [];
  const server = https.createServer(identity, (request, response) => {
    seen.push(request.headers);
    if (request.method === "PUT")
      request.on("data", (part: Buffer) => put.push(`${request.url} ${part.toString("utf8")}`));
    const { code, text } = answers[request.url ?? ""] ?? status(404, "not found");
    const isOpen =
      ["/ping", "/cacerts"].includes(request.url ?? "") || request.headers.authorization !== undefined;
    response.writeHead(isOpen ? code : 401).end(isOpen ? text : status(401, "not authorized").text);
  });
  return { seen, put, ...(await listening(server)) };
}

async function listening(server: net.Server) {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return { address: `127.0.0.1:${(server.address() as net.AddressInfo).port}` };
}

const connect = (address: string, more: Partial<SupervisorOptions> = {}) =>
  connectSupervisor({ address, clock: realClock, dial: dialDirect, ca, ...more });
const credentials = { user: "server", password: "hunter2hunter2" } as const;

test("a supervisor answers, says what it waits for, and lists its members with whole ids", async () => {
  const { address, seen } = await peer();
  const supervisor = connect(address, { credentials });
  expect(supervisor.url).toBe(`https://${address}`);
  expect(await supervisor.ping()).toBe(true);
  expect(await supervisor.readyz()).toBe("runtime core not ready");
  expect(await supervisor.members()).toEqual([
    {
      id: "12345678901234567890",
      name: "cp-1-8f3a",
      peerUrls: ["https://10.0.0.10:2380"],
      clientUrls: ["https://10.0.0.10:2379"],
      isLearner: false,
    },
    { id: "7", name: "", peerUrls: ["https://10.0.0.11:2380"], clientUrls: [], isLearner: true },
  ]);
  expect(seen[0]?.authorization).toBe(`Basic ${Buffer.from("server:hunter2hunter2").toString("base64")}`);
});

test("readyz() of a server that is ready says nothing", async () => {
  const { address } = await peer({ answers: { "/v1-k3s/readyz": { code: 200, text: "ok" } } });
  expect(await connect(address, { credentials }).readyz()).toBeUndefined();
});

test("caCerts() tells our own from a stranger who serves our very certificates, and tells strangers no password", async () => {
  const ours = await peer();
  expect(await connect(ours.address).caCerts()).toEqual({ pem: ca, isOurs: true });
  const theirs = await peer({ by: stranger });
  const supervisor = connect(theirs.address, { credentials });
  expect(await supervisor.caCerts()).toEqual({ pem: ca, isOurs: false });
  await expect(supervisor.members()).rejects.toMatchObject({ code: "K3S_UNTRUSTED" });
  expect(theirs.seen.every(({ authorization }) => authorization === undefined)).toBe(true);
});

test("caCerts() knows our own under another address, at another time, and while it starts", async () => {
  const elsewhere = await peer({ address: "10.0.0.9" });
  expect((await connect(elsewhere.address).caCerts()).isOurs).toBe(true);
  await expect(connect(elsewhere.address).ping()).rejects.toMatchObject({ code: "K3S_UNTRUSTED" });
  const expired = await peer({ notBefore: Date.now() - 3_000_000 });
  expect((await connect(expired.address).caCerts()).isOurs).toBe(true);
  const starting = await peer({
    answers: { "/cacerts": status(503, "starting"), "/ping": status(503, "starting") },
  });
  expect(await connect(starting.address).caCerts()).toEqual({ pem: "", isOurs: true });
  expect(await connect(starting.address).ping()).toBe(false);
});

test("caCerts() does not take any other page for an authority", async () => {
  const { address } = await peer({ answers: { "/cacerts": { code: 200, text: "<html>" } } });
  await expect(connect(address).caCerts()).rejects.toMatchObject({ code: "K3S_ANSWER_STRANGE" });
});

test("members() without the right password is refused in words, without the password", async () => {
  const { address } = await peer();
  await expect(connect(address).members()).rejects.toMatchObject({
    code: "K3S_CALL_REFUSED",
    why: "no password was given: not authorized",
  });
  const busy = await peer({ answers: { "/db/info": status(403, "forbidden") } });
  await expect(connect(busy.address, { credentials }).members()).rejects.toMatchObject({
    why: '"server" may not ask that: forbidden',
  });
});

test("a server that refuses, hangs up or stays silent is told apart", async () => {
  const hanging = await listening(net.createServer((socket) => socket.destroy()));
  await expect(connect(hanging.address).ping()).rejects.toMatchObject({
    code: "K3S_UNREACHABLE",
    transient: true,
  });
  const unreachable = await listening(
    net.createServer((socket) => onTestFinished(() => void socket.destroy())),
  );
  const started = Date.now();
  await expect(connect(unreachable.address, { timeoutMs: 200 }).caCerts()).rejects.toMatchObject({
    code: "K3S_TIMEOUT",
  });
  expect(Date.now() - started).toBeLessThan(15_000);
  const closed = await listening(net.createServer());
  const gone = closed.address.replace(/\d+$/, "1");
  await expect(connect(gone).ping()).rejects.toMatchObject({ why: "connection refused" });
});

test("tokens and encryption keys are replaced by what is put to the server, and refusals are told", async () => {
  const state = { stage: "reencrypt_finished", activekey: "AES-CBC k", enable: true, hashmatch: true };
  const answers = {
    "/v1-k3s/token": { code: 200, text: "" },
    "/v1-k3s/encrypt/status": { code: 200, text: JSON.stringify(state) },
    "/v1-k3s/encrypt/config": status(400, "secret-encrypt: incorrect stage"),
  };
  const { address, put } = await peer({ answers });
  const supervisor = connect(address, { credentials });
  await supervisor.replaceToken("f".repeat(64));
  expect(put).toEqual([`/v1-k3s/token {"newToken":"${"f".repeat(64)}"}`]);
  expect(await supervisor.encryption()).toEqual({
    isOn: true,
    stage: "reencrypt_finished",
    activeKey: "AES-CBC k",
    isSameEverywhere: true,
  });
  await expect(supervisor.rotateEncryptionKeys()).rejects.toMatchObject({
    code: "K3S_ANSWER_STRANGE",
    why: expect.stringContaining("incorrect stage"),
  });
  await expect(connect(address).replaceToken("x")).rejects.toMatchObject({ code: "K3S_CALL_REFUSED" });
});
