import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realRandom } from "../../lib/index.ts";
import { plainFiles } from "../../secrets/index.ts";
import { rancherStore } from "./keys.ts";

const day = 24 * 3_600_000;

function storeAt(now: () => number) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-rancher-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return rancherStore({ files: plainFiles(folder, realRandom), clock: { now }, random: realRandom });
}

test("password and authority are made once, and the certificate is for the name", async () => {
  const store = storeAt(() => Date.now());
  const keys = await store.ensure("manager", "rancher.example.org");
  expect(await store.ensure("manager", "rancher.example.org")).toEqual(keys);
  const certificate = new X509Certificate(keys.certificate.cert);
  expect(certificate.checkHost("rancher.example.org")).toBe("rancher.example.org");
  expect(certificate.verify(new X509Certificate(keys.authority.cert).publicKey)).toBe(true);
  expect(keys.password.length).toBeGreaterThanOrEqual(12);
});

test("another name and an old certificate get a new one by the same authority", async () => {
  let now = Date.now();
  const store = storeAt(() => now);
  const first = await store.ensure("manager", "rancher.example.org");
  const renamed = await store.ensure("manager", "r.example.org");
  expect(new X509Certificate(renamed.certificate.cert).checkHost("r.example.org")).toBeDefined();
  now += 800 * day;
  const renewed = await store.ensure("manager", "r.example.org");
  expect(renewed.certificate.cert).not.toBe(renamed.certificate.cert);
  expect(renewed).toMatchObject({ authority: first.authority, password: first.password });
});
