import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  siteNeeds,
  emptySurvey,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import { schematicId } from "../../../images/index.ts";
import type { ImageSource, Cluster } from "../../../spec/index.ts";
import type { Finding, GraphNode } from "../../../plan/index.ts";
import type { ImageHave } from "./image.ts";
import type { ImageWant } from "./image-volume.ts";
import { hasProgram, peers } from "../../../../test/support/peers.ts";

/** A qcow2 file as far as anybody looks: its mark, and the size a guest would see. */
const image = Buffer.alloc(300_000, "disk");
image.write("QFI\xfb", 0, "latin1");
image.writeBigUInt64BE(BigInt(1280 * 2 ** 20), 24);
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-upload-"));
  await writeFile(path.join(folder, "talos.qcow2"), image);
  await writeFile(path.join(folder, "talos.qcow2.gz"), gzipSync(image));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hosts = [siteHost("one", "pve1"), siteHost("two", "pve2")];
const placed = hosts.map((host, index) => ({ node: siteNode(`cp-${index + 1}`), host, id: 2000 + index }));

/** The model as the cluster file will say it: relative to that file. */
function clusterWith(source: ImageSource): Cluster {
  const base = siteCluster(placed.map(({ node }) => node));
  return {
    ...base,
    at: { ...base.at, file: path.join(folder, "slipway.yaml") },
    distribution: { ...base.distribution, image: source },
  };
}

const wantsOf = (site: ProxmoxSite, source: ImageSource): ImageWant[] =>
  site.provider
    .describe(clusterWith(source), placed, siteNeeds())
    .filter((node): node is GraphNode<ImageWant> => node.kind === "proxmox/image")
    .map((node) => node.want);

const first = (wants: ImageWant[]): ImageWant => {
  const [want] = wants;
  if (!want) throw new Error("nothing is wanted");
  return want;
};

async function upload(site: ProxmoxSite, want: ImageWant): Promise<ImageHave> {
  return (await site.resource("proxmox/image").create(site.ctx, want)) as ImageHave;
}

const sent = (site: ProxmoxSite) => site.proxmox.state().volumes.filter((each) => each.content === "import");
const uploads = (site: ProxmoxSite) => site.faults.seen.filter((call) => call.endsWith("/upload")).length;

test("an image of this machine is sent, checked and found again, and nothing is downloaded", async () => {
  await using site = await proxmoxSite();
  const want = first(wantsOf(site, { file: "./talos.qcow2" }));
  expect(want.local).toEqual({ file: path.join(folder, "talos.qcow2") });
  const have = await upload(site, want);
  expect(have).toMatchObject({ file: want.file, storage: "local" });
  expect(sent(site)).toMatchObject([{ usedBytes: image.length, checksums: { sha256: sha256(image) } }]);
  expect(site.faults.seen.some((call) => call.includes("download-url"))).toBe(false);
  expect(site.log).toContain(`progress ${image.length}/${image.length} bytes`);
});

const packers = [
  { ending: "gz", options: {} },
  // Packages xz-utils and zstd have the two programs.
  { ending: "xz", program: "xz", options: peers },
  { ending: "zst", program: "zstd", options: peers },
];

describe.each(packers)("an image packed as $ending", ({ ending, program, options }) => {
  test.skipIf(program !== undefined && !hasProgram(program, "--version"))(
    "is unpacked on the way",
    options,
    async () => {
      if (program !== undefined)
        execFileSync(program, ["-kf", path.join(folder, "talos.qcow2")], { stdio: "ignore" });
      await using site = await proxmoxSite();
      await upload(site, first(wantsOf(site, { file: `talos.qcow2.${ending}` })));
      expect(sent(site)).toMatchObject([{ format: "qcow2", checksums: { sha256: sha256(image) } }]);
    },
  );
});

test("a folder that mirrors the factory serves every host", async () => {
  await using site = await proxmoxSite();
  const inner = path.join(folder, `images/image/${schematicId({})}/v1.13.9`);
  await mkdir(inner, { recursive: true });
  await writeFile(path.join(inner, "nocloud-amd64.qcow2.gz"), gzipSync(image));
  const wants = wantsOf(site, { folder: "./images" });
  await Promise.all(wants.map((want) => upload(site, want)));
  expect(new Set(sent(site).map((volume) => volume.node))).toEqual(new Set(["pve1", "pve2"]));
  expect(first(wants).file).toBe("slipway-talos-1.13.9-376567988ad3-nocloud-amd64.qcow2");
});

test("a file that is not what the cluster file says never leaves this machine", async () => {
  await using site = await proxmoxSite();
  const checksum = { algorithm: "sha256", value: "00".repeat(32) } as const;
  await expect(upload(site, first(wantsOf(site, { file: "talos.qcow2", checksum })))).rejects.toMatchObject({
    code: "IMAGE_CHECKSUM_WRONG",
    why: expect.stringContaining(sha256(image)) as string,
  });
  expect(uploads(site)).toBe(0);
});

test("an upload whose answer was lost is found by the next attempt, not sent again", async () => {
  await using site = await proxmoxSite({ faults: [{ call: "proxmox POST */upload", kind: "lost-reply" }] });
  const want = first(wantsOf(site, { file: "talos.qcow2" }));
  await expect(upload(site, want)).rejects.toMatchObject({ code: "PVE_UNREACHABLE", transient: true });
  while (sent(site).length === 0) await site.clock.sleep(50);
  await upload(site, want);
  expect(uploads(site)).toBe(1);
});

test.each([
  ["refuse", "PVE_UNREACHABLE"],
  ["error", "PVE_LOCKED"],
  ["die", "PVE_TASK_FAILED"],
] as const)(
  "the fault %s ends in an error that says what to do, and the next attempt succeeds",
  async (kind, code) => {
    await using site = await proxmoxSite({ faults: [{ call: "proxmox POST */upload", kind }] });
    const want = first(wantsOf(site, { file: "talos.qcow2" }));
    await expect(upload(site, want)).rejects.toMatchObject({ code });
    await upload(site, want);
    expect(sent(site)).toHaveLength(1);
  },
);

test("an abort ends an upload", async () => {
  await using site = await proxmoxSite({ faults: [{ call: "proxmox POST */upload", kind: "hang" }] });
  const stop = new AbortController();
  const want = first(wantsOf(site, { file: "talos.qcow2" }));
  const running = site.resource("proxmox/image").create(site.contextFor(stop.signal), want);
  site.clock.after(1_000, () => stop.abort(new Error("stopped")));
  await expect(running).rejects.toThrow("stopped");
});

test("a token that may not upload is told which right it lacks", async () => {
  await using site = await proxmoxSite({
    token: "poor@pve!main",
    acl: '  - { path: "/", role: PVEAuditor, user: "poor@pve" }',
  });
  const want = first(wantsOf(site, { file: "talos.qcow2" }));
  await expect(upload(site, want)).rejects.toMatchObject({ code: "PVE_FORBIDDEN" });
});

const nothing = emptySurvey();
const finding = async (site: ProxmoxSite, source: ImageSource): Promise<Finding | undefined> =>
  site.provider
    .preflight(clusterWith(source), placed, nothing)
    .find((check) => check.id === "image-source")
    ?.run(site.ctx);

test("preflight looks for the file, the folder's image, and packed downloads no host could unpack", async () => {
  await using site = await proxmoxSite();
  expect(await finding(site, { file: "talos.qcow2" })).toMatchObject({ status: "ok" });
  expect(await finding(site, { url: "https://m.lan/a.qcow2" })).toBeUndefined();
  expect(await finding(site, { file: "none.qcow2" })).toMatchObject({
    error: { code: "IMAGE_FILE_MISSING" },
  });
  expect(await finding(site, { folder: "empty" })).toMatchObject({ error: { code: "IMAGE_NOT_IN_FOLDER" } });
  const packedUrl = await finding(site, { url: "https://me:hunter2@m.lan/a.raw.xz?sig=1" });
  expect(packedUrl).toMatchObject({ status: "failed", error: { code: "IMAGE_PACKED_DOWNLOAD" } });
  expect(JSON.stringify(packedUrl)).not.toMatch(/hunter2|sig=1/);
});
