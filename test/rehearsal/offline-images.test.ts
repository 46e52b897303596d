import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addons } from "../../src/addons/index.ts";
import { schematicId } from "../../src/images/index.ts";
import { parseFleet, type Fleet } from "../../src/spec/index.ts";
import { errorsIn, rehearsalSite } from "../support/sim/rehearsal-site.ts";

/** Sites without a way out: the image comes from a file or a folder beside the cluster file. */

/** A qcow2 file as far as anybody looks: its mark, and the size a guest would see. */
const image = Buffer.alloc(4096, "disk");
image.write("QFI\xfb", 0, "latin1");
image.writeBigUInt64BE(BigInt(1280 * 2 ** 20), 24);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-offline-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function offlineFleet(source: string): Fleet {
  const text = `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    talos: { version: 1.13.9 }
    image: ${source}
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
`;
  const parsed = parseFleet({ file: path.join(folder, "slipway.yaml"), text }, { addons });
  if ("problems" in parsed) throw new Error(parsed.problems.map((problem) => problem.what).join("\n"));
  return parsed.fleet;
}

test.each([
  ["a file", "{ file: ./talos.qcow2 }", "talos.qcow2"],
  ["a folder", "{ folder: . }", `${schematicId({})}/v1.13.9/nocloud-amd64.qcow2`],
])(
  "machines come from %s beside the cluster file, and no host asks the factory",
  async (_what, source, name) => {
    const fleet = offlineFleet(source);
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), image);
    await using site = await rehearsalSite(fleet);
    const told = await site.up(fleet, { until: "machines" });
    expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
    const calls = site.rehearsal.datacenter.faults.seen;
    expect(calls.filter((call) => call.endsWith("/upload"))).toHaveLength(1);
    expect(calls.filter((call) => call.endsWith("/download-url"))).toEqual([]);
    expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("unchanged");
  },
);

test("a file that is not there is missed before anything is changed", async () => {
  const fleet = offlineFleet("{ file: ./nowhere.qcow2 }");
  await using site = await rehearsalSite(fleet);
  const told = await site.up(fleet, { until: "machines" });
  expect(told.runReport.outcome).toBe("failed");
  expect(errorsIn(told.events).join()).toContain("IMAGE_FILE_MISSING");
  expect(site.machines()).toEqual([]);
});
