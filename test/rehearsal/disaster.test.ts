import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { renderDisaster, renderMoment } from "../../src/cli/views/index.ts";
import {
  loadFleet,
  rehearseDisaster,
  type Disaster,
  type DisasterReport,
} from "../../src/operations/index.ts";
import { whole } from "../support/whole-sweep.ts";
import { testScreen } from "../support/screens/canvas.ts";

/** The file of a user through every disaster, with the screen that tells of it. */

const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-disaster-"));
afterAll(() => rm(folder, { recursive: true }));

const host = (name: string) =>
  `  ${name}: { proxmox: { url: "https://10.41.0.1:8006", node: ${name}, token: { id: "slipway@pve!main", secret: { env: T } } } }\n`;
const text = (distribution = "", hosts = ["hydra", "lyra", "orion"]) => `version: 1
hosts:
${hosts.map(host).join("")}clusters:
  lab:
    on: [${hosts.join(", ")}]
${distribution}    network: { cidr: 10.41.0.0/24, gateway: .254, vip: .9 }
    secrets: { encryption: age, recipients: [age1lvyvwawkr0mcnnnncaghunadrqkmuf9e6507x9y920xxpp866cnql7dp2z] }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000, hardware: { start: { onBoot: false } } }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000, hardware: { start: { onBoot: false } }, nodes: { worker-1: { on: orion } } }
`;

async function rehearse(
  disaster: Disaster,
  content = text(),
): Promise<{ report: DisasterReport; screen: string }> {
  const file = path.join(folder, "lab.yaml");
  await writeFile(file, content);
  const loaded = await loadFleet(file);
  if ("problems" in loaded) throw new Error(loaded.problems.map(({ what }) => what).join("\n"));
  const lines: string[] = [];
  const report = await rehearseDisaster({
    ...{ fleet: loaded.fleet, selection: {}, disaster, stop: new AbortController().signal },
    onMoment: (moment) => lines.push(renderMoment(moment, testScreen())),
  });
  const screen = [...lines, renderDisaster(report, undefined, testScreen())].join("");
  return { report, screen: screen.replace(/lab-\d{8}-\d{6}/, "lab-TIME") };
}

test("lost-quorum: the backup brings back all that was written before it", whole, async () => {
  const { report, screen } = await rehearse("lost-quorum");
  expect(report.error).toBeUndefined();
  expect(report.isRecovered).toBe(true);
  expect(screen).toMatchInlineSnapshot(`
    "       0s  slipway up lab
       2m 20s  healthy, and backed up with slipway backup lab
      17m 26s  gone: the machines of cp-1 and cp-2
      17m 26s  slipway restore lab-TIME.backup.tar lab
      20m 23s  healthy again
    ✓ lab came back from lost-quorum
      recovery time   2m 58s, from the loss until all checks passed
      recovery point  15m 06s before the loss, when the backup was taken
      objects         3 of 3 written before the backup are there, 0 of 3 written
                      after it
    "
  `);
});

test("lost-everything: new machines with the old secrets and objects", whole, async () => {
  const { report } = await rehearse("lost-everything");
  expect(report).toMatchObject({ isRecovered: true, objects: { beforeKept: 3, afterKept: 0 } });
  expect(report.recoveryPointMs).toBeGreaterThanOrEqual(15 * 60_000);
});

test("lost-secrets and lost-host: nothing that was written is lost", whole, async () => {
  for (const disaster of ["lost-host", "lost-secrets"] as const) {
    const { report } = await rehearse(disaster);
    expect(report.error, disaster).toBeUndefined();
    expect(report, disaster).toMatchObject({
      isRecovered: true,
      recoveryPointMs: 0,
      objects: { afterKept: 3 },
    });
  }
});
