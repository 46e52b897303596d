import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { siteCluster, siteNode } from "../../../test/support/proxmox/site.ts";
import { talosImage } from "../../images/index.ts";
import { type ImageSource, talosOf } from "../../spec/index.ts";
import type { Fleet } from "../../spec/index.ts";
import { withImageChecksums } from "./load-fleet.ts";

function fleetWith(folder: string, image?: ImageSource): Fleet {
  const base = siteCluster([siteNode("cp-1")]);
  const distribution = { ...base.distribution, ...(image && { image: image as { url: string } }) };
  const at = { ...base.at, file: path.join(folder, "slipway.yaml") };
  return { file: at.file, hosts: [], clusters: [{ ...base, at, distribution }] };
}

const nameIn = (fleet: Fleet): string | undefined =>
  fleet.clusters[0] && talosImage(talosOf(fleet.clusters[0])).fileName;

test("an image file is named after its content, so another content gets another name", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-checksum-"));
  const file = path.join(folder, "talos.qcow2");
  const fleet = fleetWith(folder, { file: "./talos.qcow2" });
  const names: (string | undefined)[] = [];
  for (const content of ["one", "two", "one"]) {
    await writeFile(file, content);
    const completed = await withImageChecksums(fleet);
    const value = createHash("sha256").update(content).digest("hex");
    expect(completed.clusters[0]?.distribution.image).toMatchObject({
      checksum: { algorithm: "sha256", value },
    });
    names.push(nameIn(completed));
  }
  expect(names[0]).toBe(names[2]);
  expect(names[0]).not.toBe(names[1]);
  await rm(folder, { recursive: true });
});

test("a file that is missing, and a fleet without one, stay as they are", async () => {
  const missing = fleetWith(os.tmpdir(), { file: "./no-such-image.qcow2" });
  expect(await withImageChecksums(missing)).toEqual(missing);
  const plain = fleetWith(os.tmpdir());
  expect(await withImageChecksums(plain)).toEqual(plain);
});
