import { mkdtempSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareDashboard, served, type Served } from "../support/dashboard/served.ts";

let dashboard: Served;
beforeAll(async () => {
  dashboard = await served(bareDashboard(mkdtempSync(path.join(os.tmpdir(), "slipway-ui-"))));
});
afterAll(() => dashboard.close());

const own = () => `127.0.0.1:${dashboard.port}`;
const bearer = () => ({ authorization: `Bearer ${dashboard.token}` });
const codeIn = (text: string) => (JSON.parse(text) as { error: { code: string } }).error.code;
const statusOf = async (...args: Parameters<Served["request"]>) => {
  const { status, text } = await dashboard.request(...args);
  return status === 200 ? 200 : [status, codeIn(text)];
};

/** Files, questions and streams: whoever forgets one of them has no guard at all. */
const everyPlace = [
  "/",
  "/app.js",
  "/homelab/plan",
  "/api/session",
  "/api/runs",
  "/api/runs/20260714-093102/events",
];

test.each(everyPlace)(
  "%s is for nobody who came by another name, by a trick of DNS or otherwise",
  async (place) => {
    const hosts = [
      "evil.example",
      `evil.example:${dashboard.port}`,
      `127.0.0.1.evil.example:${dashboard.port}`,
      "localhost.evil.example",
      "169.254.1.1",
      "0.0.0.0",
    ];
    for (const host of hosts)
      expect(await statusOf(place, { headers: { ...bearer(), host } }), host).toEqual([403, "UI_FOREIGN"]);
    // What such a page sends about itself once its name leads here: an origin that is its own host.
    const rebound = `evil.example:${dashboard.port}`;
    const headers = {
      ...bearer(),
      host: rebound,
      origin: `http://${rebound}`,
      "sec-fetch-site": "same-origin",
    };
    expect(await statusOf(place, { headers })).toEqual([403, "UI_FOREIGN"]);
  },
);

test.each(everyPlace)("%s is for no page of another origin", async (place) => {
  for (const origin of ["https://evil.example", "null", "http://localhost:1", `https://${own()}`])
    expect(await statusOf(place, { headers: { ...bearer(), host: own(), origin } }), origin).toEqual([
      403,
      "UI_FOREIGN",
    ]);
  for (const site of ["cross-site", "same-site"])
    expect(
      await statusOf(place, { headers: { ...bearer(), host: own(), "sec-fetch-site": site } }),
      site,
    ).toEqual([403, "UI_FOREIGN"]);
});

test("a question needs the token, in its header and whole", async () => {
  const { token } = dashboard;
  expect(Buffer.from(token, "base64url").length * 8).toBeGreaterThanOrEqual(128);
  for (const place of [
    "/api/session",
    "/api/fleet",
    "/api/runs",
    "/api/runs/20260714-093102/events",
    "/api",
    "/api/nothing",
    "/API/session",
  ]) {
    for (const authorization of [
      "",
      "Bearer",
      `Bearer ${token.slice(1)}`,
      `Bearer ${token}x`,
      token,
      `Basic ${token}`,
    ])
      expect(await statusOf(place, { headers: { authorization } }), authorization).toEqual([
        401,
        "UI_NO_TOKEN",
      ]);
    expect(await statusOf(`${place}?t=${token}`), "not from the address").toEqual([401, "UI_NO_TOKEN"]);
  }
  for (const call of ["plan", "up", "stop", "verify", "doctor"])
    expect(
      await statusOf(`/api/${call}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      }),
    ).toEqual([401, "UI_NO_TOKEN"]);
  expect(await statusOf("/api/session", { headers: bearer() })).toBe(200);
});

test("localhost and both loopback addresses are this machine, at whatever port a tunnel begins", async () => {
  for (const host of [
    own(),
    `localhost:${dashboard.port}`,
    "localhost:9999",
    `[::1]:${dashboard.port}`,
    "LOCALHOST",
  ]) {
    const headers = { ...bearer(), host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    expect(await statusOf("/api/session", { headers }), host).toBe(200);
  }
});

test("no address of another network is listened on", async () => {
  const others = Object.values(os.networkInterfaces()).flatMap((all) =>
    (all ?? []).filter((one) => !one.internal && one.family === "IPv4"),
  );
  for (const { address } of others) {
    const refused = new Promise<string>((resolve) => {
      const socket = net.connect(dashboard.port, address, () => resolve("connected"));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    });
    expect(await refused, address).toBe("ECONNREFUSED");
  }
});

test("questions that change something are POST with JSON, and small", async () => {
  const post = (type: string, body: string, place = "/api/plan") =>
    statusOf(place, { method: "POST", headers: { ...bearer(), "content-type": type }, body });
  for (const type of [
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
  ])
    expect(await post(type, "{}"), type).toEqual([415, "UI_NOT_JSON"]);
  for (const body of ["", "{", "[]", "null", '"x"'])
    expect(await post("application/json", body), body).toEqual([415, "UI_NOT_JSON"]);
  expect(await post("application/json", JSON.stringify({ cluster: "x".repeat(70_000) }))).toEqual([
    413,
    "UI_TOO_LARGE",
  ]);
  expect(await post("application/json", '{"cluster":{"__proto__":1}}')).toEqual([400, "UI_BAD_QUESTION"]);
  expect(await post("application/json", "{}", "/api/up")).toEqual([400, "UI_BAD_QUESTION"]);
  expect(await post("application/json", "{}", "/api/session")).toEqual([405, "UI_METHOD"]);
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"])
    expect(await statusOf("/api/plan", { method, headers: bearer() }), method).toEqual([405, "UI_METHOD"]);
  expect(
    await statusOf("/", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
  ).toEqual([405, "UI_METHOD"]);
});

/** What no client library would send: the answer to these very bytes. */
const rawAnswer = (...parts: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(dashboard.port, "127.0.0.1");
    let text = "";
    socket.on("data", (part) => (text += part.toString()));
    socket.on("close", () => resolve(text)).on("error", reject);
    for (const part of parts) socket.write(part);
  });

test("a request that names no host is refused", async () => {
  expect(await rawAnswer("GET / HTTP/1.0\r\n\r\n")).toContain("HTTP/1.1 403");
  expect(await rawAnswer("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")).toContain("HTTP/1.1 400");
});

test("a body that says nothing of its length ends at the same size", async () => {
  const head = `POST /api/plan HTTP/1.1\r\nHost: ${own()}\r\nAuthorization: Bearer ${dashboard.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  // More than is taken, and never the end of it.
  const pieces = Array.from({ length: 6 }, () => `4000\r\n${"x".repeat(0x4000)}\r\n`);
  expect(await rawAnswer(head, ...pieces)).toContain("HTTP/1.1 413");
});

test("no path leads out of what is served", async () => {
  const targets = [
    "/../../../../etc/passwd",
    "/..%2f..%2fetc%2fpasswd",
    "/%2e%2e/package.json",
    "//etc/passwd",
    "/app.js/../../package.json",
    "/homelab/../../x",
    `http://evil.example/app.js`,
    "/api/runs/..%2f..%2fslipway/events",
    "/api/runs/../../x/events",
    "/api/runs/%2e%2e/events",
    "/api/../app.js",
  ];
  for (const target of targets) {
    const answer = await rawAnswer(
      `GET ${target} HTTP/1.1\r\nHost: ${own()}\r\nAuthorization: Bearer ${dashboard.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.split("\r\n")[0], target).toBe("HTTP/1.1 404 Not Found");
  }
});

test("every answer says what a browser may do with it, and invites nobody", async () => {
  const asked = [
    dashboard.request("/"),
    dashboard.request("/app.js"),
    dashboard.request("/api/session"),
    dashboard.request("/none.txt/"),
    dashboard.request("/api/session", { headers: bearer() }),
  ];
  for (const { headers } of await Promise.all(asked)) {
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(Object.keys(headers).filter((name) => /^access-control-|^set-cookie$/.test(name))).toEqual([]);
  }
});

test("the page and its places are one document without a line of script in it", async () => {
  const { text } = await dashboard.request("/");
  expect((await dashboard.request("/homelab/nodes/worker-3")).text).toBe(text);
  expect(text).toContain('<div id="app"></div>');
  expect(text.match(/<script[^>]*>[^<]*<\/script>/g)).toEqual([
    '<script type="module" src="/app.js"></script>',
  ]);
  expect(text).not.toMatch(/<style|\son\w+=|style=/);
  expect(text).not.toContain(dashboard.token);
});

test("the address that a browser is started with leads to the token once", async () => {
  const place = new URL(dashboard.openUrl()).pathname;
  expect(place).not.toContain(dashboard.token);
  const first = await dashboard.request(place);
  expect([first.status, first.headers.location]).toEqual([303, `/#t=${dashboard.token}`]);
  const second = await dashboard.request(place);
  expect([second.status, second.headers.location, second.text.includes(dashboard.token)]).toEqual([
    200,
    undefined,
    false,
  ]);
  const foreign = new URL(dashboard.openUrl()).pathname;
  expect(await statusOf(foreign, { headers: { host: "evil.example" } })).toEqual([403, "UI_FOREIGN"]);
  expect((await dashboard.request(foreign)).status, "a refusal uses nothing up").toBe(303);
});
