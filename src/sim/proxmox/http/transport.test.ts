import https from "node:https";
import { expect, test } from "vitest";
import { bench, hosts, port, token, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Got {
  status: number;
  reason: string;
  text: string;
  headers: Record<string, unknown>;
}

const raw = (box: Bench, sent: Sent): Promise<Got> => box.time.during(answerTo(box, sent));

const answerTo = (box: Bench, { method = "GET", path, headers = {}, body = "" }: Sent): Promise<Got> =>
  new Promise((resolve, reject) => {
    const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = https.request(
      {
        host: hosts.hydra,
        port,
        method,
        path: `/api2${path}`,
        ca: box.sim.ca,
        agent: false,
        headers: { ...length, ...headers },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => {
          const { statusCode: status = 0, statusMessage: reason = "" } = response;
          resolve({ status, reason, text, headers: response.headers });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });

const authorization = token;
const form = "application/x-www-form-urlencoded";

async function cookieOf(box: Bench): Promise<Record<string, string>> {
  const user = "somebody@pve";
  box.sim.state().users[user] = { enable: true, expire: 0, password: "sesame-open" };
  const { data } = await box.ask("POST", "/access/ticket", { username: user, password: "sesame-open" });
  return { cookie: `PVEAuthCookie=${encodeURIComponent((data as { ticket: string }).ticket)}` };
}

test("who it is that calls is asked before anything of the call is looked at", async () => {
  const box = await bench();
  const call = { path: "/json/version" };
  for (const sent of [
    { ...call, body: "a=1" },
    { path: "/xml/version" },
    { path: "/json/no-such" },
    { ...call, method: "PUT", body: "a=1", headers: { "content-type": "text/plain" } },
  ]) {
    expect(await raw(box, sent)).toMatchObject({ status: 401, reason: "No ticket", text: "" });
  }
  expect(await raw(box, { path: "/JSON/version" })).toMatchObject({ status: 501, text: "no such uri" });
});

test("a ticket counts before a token, also where a token is expected", async () => {
  const box = await bench();
  const ticket = await cookieOf(box);
  const own = await raw(box, { path: "/json/access/users", headers: { ...ticket, authorization } });
  expect(own.text).toMatch(/^[^}]*somebody@pve[^}]*}]}$/);
  const headers = { authorization: ticket["cookie"] ?? "" };
  expect((await raw(box, { path: "/json/version", headers })).status).toBe(200);
});

test("an upload needs no token against forgery, but the right to it before its file is read", async () => {
  const box = await bench();
  const headers = await cookieOf(box);
  const upload = { method: "POST", path: "/json/nodes/hydra/storage/local/upload", headers };
  expect(await raw(box, { ...upload, body: "anything" })).toMatchObject({
    status: 403,
    reason: "Permission check failed (/storage/local, Datastore.AllocateTemplate)",
    text: "",
  });
  expect(await raw(box, { ...upload, path: "/json/pools" })).toMatchObject({
    status: 401,
    reason: "Permission denied - invalid csrf token",
  });
});

test("every format says the same in its own way", async () => {
  const box = await bench();
  const headers = { authorization };
  const version = await raw(box, { path: "/htmljs/version", headers });
  expect(version.headers["content-type"]).toBe("text/html;charset=UTF-8");
  expect(version.text).toContain("&quot;success&quot;:1");
  expect(await raw(box, { path: "/extjs/no-such", headers })).toMatchObject({ status: 200 });
  expect(await raw(box, { path: "/html/no-such", headers })).toMatchObject({ status: 501 });
  expect(await raw(box, { path: "/png/version", headers })).toMatchObject({ status: 200, text: "" });
  expect(await raw(box, { path: "/text/version", headers })).toMatchObject({
    status: 501,
    text: "no formatter for uri /version, text",
  });
  const page = await raw(box, { path: "/html/version" });
  expect(page).toMatchObject({ status: 301, reason: "Moved" });
  expect(page.headers["location"]).toBe("/api2/html/access/ticket");
});

test("what stands in the query wins over the body, and `_dc` is nobody's", async () => {
  const box = await bench();
  const headers = { authorization, "content-type": form };
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "100" });
  const path = "/json/nodes/hydra/qemu/100/config?cores=3&_dc=17";
  expect((await raw(box, { method: "PUT", path, headers, body: "cores=2" })).status).toBe(200);
  expect(box.sim.state().vms["100"]?.config["cores"]).toBe(3);
});

test.each([
  ["multipart/form-data; boundary=x", "--x--", 506, /not implemented$/],
  ["application/json-patch+json", "[]", 506, /not implemented$/],
  ["application/json", "", 500, /^malformed JSON string, .* at character offset 0 /],
])("a body of the type %s where only forms and JSON are taken", async (type, body, status, text) => {
  const box = await bench();
  const headers = { authorization, "content-type": type };
  expect(await raw(box, { method: "POST", path: "/json/pools", headers, body })).toMatchObject({
    status,
    text: expect.stringMatching(text) as unknown,
  });
});
