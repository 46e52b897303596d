import { mkdtemp, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { findArtifacts } from "../../distros/k3s/index.ts";
import { replaceFile } from "../../lib/index.ts";
import { standInArtifact } from "./stand-in-release.ts";

test("what a rehearsal fetches has the checksums it says, and tells the version", async () => {
  const world = {
    cacheFolder: await mkdtemp(path.join(os.tmpdir(), "slipway-rehearsed-")),
    fetchFile: (url: string, into: string) => replaceFile(into, standInArtifact(url)),
  };
  for (const architecture of ["amd64", "arm64"] as const) {
    const found = await findArtifacts({ version: "1.36.3+k3s1", architecture, hasImages: true }, world);
    expect(await readFile(found.binary.file, "utf8")).toContain("k3s v1.36.3+k3s1\n");
    expect(found.images?.name).toBe(`k3s-airgap-images-${architecture}.tar.zst`);
  }
});
