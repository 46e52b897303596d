import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeTar } from "../../../lib/index.ts";
import { runProgramWith } from "../../../world/run-program.ts";
import { ensureHelm, findHelm, pinnedHelm, type EnsureOptions } from "../index.ts";

const signal = new AbortController().signal;
const machine = { platform: "linux", arch: "x64" };
const script = (version: string) => `#!/bin/sh\necho "${version}"\n`;

let folder: string;
let site: http.Server;
let archive: Buffer;
let asked: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "slipway-find-helm-"));
  archive = gzipSync(
    writeTar([
      { name: "linux-amd64/LICENSE", bytes: Buffer.from("free") },
      { name: "linux-amd64/helm", bytes: Buffer.from(script("v4.2.4")), mode: 0o755 },
    ]),
  );
  asked = [];
  site = http.createServer((request, response) => {
    asked.push(request.url ?? "");
    const isThere = request.url === "/helm-v4.2.4-linux-amd64.tar.gz";
    response.writeHead(isThere ? 200 : 404).end(isThere ? archive : "");
  });
  await new Promise<void>((resolve) => {
    site.listen(0, "127.0.0.1", resolve);
  });
});

afterEach(() => {
  site.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A machine whose $PATH has only what is put there. */
function put(name: string, text: string): string {
  const bin = path.join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const file = path.join(bin, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

const run = () => runProgramWith({ PATH: `${path.join(folder, "bin")}:/bin` });

const options = (more: Partial<EnsureOptions> = {}): EnsureOptions => ({
  run: run(),
  signal,
  toolFolder: path.join(folder, "tools"),
  machine,
  fetch,
  download: {
    version: "4.2.4",
    baseUrl: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    sha256: { "linux-amd64": createHash("sha256").update(archive).digest("hex") },
  },
  ...more,
});

test("findHelm() takes the user's own, and not one that is too old", async () => {
  expect(await findHelm({ run: run(), signal })).toBeUndefined();
  put("helm", script("v3.17.2"));
  expect(await findHelm({ run: run(), signal })).toBeUndefined();
  put("helm", script("v3.18.0+gabc"));
  expect(await findHelm({ run: run(), signal })).toEqual({
    command: "helm",
    version: { major: 3, minor: 18, patch: 0 },
  });
});

test("findHelm() insists on the one that is configured", async () => {
  put("helm", script("v4.2.4"));
  await expect(findHelm({ run: run(), signal, configured: "/nowhere/helm" })).rejects.toMatchObject({
    code: "HELM_MISSING",
    why: '$SLIPWAY_HELM names "/nowhere/helm", and that cannot be started',
  });
  const old = put("old-helm", script("v3.6.2"));
  await expect(findHelm({ run: run(), signal, configured: old })).rejects.toMatchObject({
    code: "HELM_TOO_OLD",
  });
});

test("ensureHelm() fetches the pinned one once, under the name helm takes fields by", async () => {
  const program = await ensureHelm(options());
  expect(program.version).toEqual({ major: 4, minor: 2, patch: 4 });
  expect(path.basename(program.command)).toBe("helm");
  expect(statSync(program.command).mode & 0o777).toBe(0o700);
  expect(await ensureHelm(options())).toEqual(program);
  expect(asked).toEqual(["/helm-v4.2.4-linux-amd64.tar.gz"]);
});

test("ensureHelm() keeps nothing whose checksum is not the published one [attack untried: tampered helm]", async () => {
  const download = { ...options().download, sha256: { "linux-amd64": "0".repeat(64) } };
  await expect(
    ensureHelm(options({ download: { version: "4.2.4", baseUrl: "", ...download } })),
  ).rejects.toMatchObject({ code: "HELM_CHECKSUM_WRONG" });
  expect(() => statSync(path.join(folder, "tools", "helm-4.2.4", "helm"))).toThrow("ENOENT");
});

test("ensureHelm() says what to do where it cannot be fetched", async () => {
  await expect(ensureHelm(options({ machine: { platform: "win32", arch: "x64" } }))).rejects.toMatchObject({
    code: "HELM_MISSING",
    next: expect.stringContaining("SLIPWAY_HELM") as string,
  });
  const baseUrl = "http://127.0.0.1:9";
  await expect(
    ensureHelm(options({ download: { version: "4.2.4", sha256: { "linux-amd64": "0" }, baseUrl } })),
  ).rejects.toMatchObject({
    code: "HELM_DOWNLOAD_FAILED",
    why: expect.stringContaining("http://127.0.0.1:9/helm-v4.2.4-linux-amd64.tar.gz") as string,
  });
});

test("the pinned helm has a checksum for every machine its makers build for", () => {
  expect(Object.values(pinnedHelm.sha256).every((sum) => /^[0-9a-f]{64}$/.test(sum))).toBe(true);
  expect(Object.keys(pinnedHelm.sha256)).toEqual(
    expect.arrayContaining(["linux-amd64", "linux-arm64", "darwin-arm64"]),
  );
  expect(readFileSync(new URL("./find-helm.ts", import.meta.url), "utf8")).not.toContain("http://");
});
