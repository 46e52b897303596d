import https from "node:https";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import {
  configure,
  founded,
  joined,
  kubeAt,
  lab,
  password,
  testHost,
  tokenOn,
  type Lab,
} from "../../../../test/support/sim-k3s-hosts.ts";

interface Answer {
  code: number;
  body: string;
}

/** Asks without looking at the certificate. */
async function get(site: Lab, path: string, login?: string, address = "10.0.0.1"): Promise<Answer> {
  const socket = await site.network.dial({ host: address, port: 6443 });
  const headers =
    login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString("base64")}` };
  return new Promise((resolve, reject) => {
    const agent = false;
    https
      .get(
        { socket, path, headers, agent, rejectUnauthorized: false, host: address } as https.RequestOptions,
        (response) => {
          let body = "";
          response.on("data", (part) => (body += String(part)));
          response.on("end", () => resolve({ code: response.statusCode ?? 0, body }));
        },
      )
      .once("error", reject);
  });
}

test("the supervisor tells strangers its authority only, and the rest by password", async () => {
  const site = lab();
  const { host } = await founded(site);
  expect(await get(site, "/cacerts")).toEqual({
    code: 200,
    body: host.files.read(`${paths.tls}/server-ca.crt`)?.toString(),
  });
  expect(await get(site, "/ping")).toEqual({ code: 200, body: "pong" });
  await site.until(async () => (await get(site, "/v1-k3s/readyz", `node:agent-${password}`)).code === 200);
  expect(await get(site, "/v1-k3s/readyz", "node:wrong")).toMatchObject({
    code: 401,
    body: expect.stringContaining('"message":"not authorized","reason":"Unauthorized","code":401') as unknown,
  });
  expect((await get(site, "/v1-k3s/readyz")).code).toBe(403);
  expect((await get(site, "/v1-k3s/readyz", `server:${password}`)).code).toBe(403);
  expect(host.journal.join("\n")).toMatch(/Failed to authenticate request from \S+: invalid username/);
  expect((await get(site, "/v1-k3s/server-bootstrap", `node:agent-${password}`)).code).toBe(403);
  const info = await get(site, "/db/info", `server:${password}`);
  expect(JSON.parse(info.body)).toMatchObject({
    members: [
      { name: expect.stringMatching(/^cp-1-[0-9a-f]{8}$/) as unknown, peerURLs: ["https://10.0.0.1:2380"] },
    ],
  });
  expect(info.body).toMatch(/"ID":\d{15,}/);
  expect((await get(site, "/api/v1/nodes")).code).toBe(401);
  expect((await get(site, "/v1-k3s/serving-kubelet.crt", `node:agent-${password}`)).code).toBe(400);
});

test("a server that still waits answers, but has no API", async () => {
  const site = lab({ faults: [{ kind: "learner-stuck", node: "cp-2" }] });
  const { host } = await founded(site);
  const settings = `token: ${tokenOn(host)}\nagent-token: agent-${password}\n`;
  const second = configure(testHost(site, "cp-2", "10.0.0.2"), settings, { join: "10.0.0.1" });
  second.start();
  await site.until(() => site.program.state()[0]?.members.length === 2);
  expect((await get(site, "/ping", undefined, "10.0.0.2")).body).toBe("pong");
  expect(await get(site, "/readyz", undefined, "10.0.0.2")).toMatchObject({
    code: 503,
    body: expect.stringContaining("apiserver not ready") as unknown,
  });
  expect(await get(site, "/v1-k3s/readyz", `node:agent-${password}`, "10.0.0.2")).toMatchObject({
    code: 503,
    body: expect.stringContaining("runtime core not ready") as unknown,
  });
});

test("the API is not ready while etcd has no majority", async () => {
  const site = lab();
  const { host } = await founded(site);
  const second = await joined(site, 2, `token: ${tokenOn(host)}\nagent-token: agent-${password}\n`);
  const kube = kubeAt(site, host);
  expect(await kube.isReady()).toBe(true);
  await second.run.stop();
  expect(await kube.isReady()).toBe(false);
});
