import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { openEnvelope } from "../../src/cli/output/envelope.ts";
import { renderBootMedia } from "../../src/cli/views/index.ts";
import { bootMediaOf } from "../../src/operations/index.ts";
import { Redaction } from "../../src/lib/index.ts";
import { expectGolden } from "../support/golden.ts";
import { holdToSchema } from "../support/hold-to-schema.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-image-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (system: string) => `version: 1
hosts: { rack: { existing: { machines: [{ name: rack-1, address: 10.7.0.31 }] } } }
clusters:
  lab:
    network: { cidr: 10.7.0.0/24, gateway: .1 }
    ${system}
    controlPlanes: { machines: [rack-1] }
`;

test("image shows and fetches what bare machines are started from, and the factory knows it by then", async () => {
  const fleet = fleetOf(file("talos: { version: 1.13.9, extensions: [iscsi-tools], firstContact: trust }"));
  await using site = await rehearsalSite(fleet);
  const output = path.join(folder, "talos.iso");
  const never = new AbortController().signal;
  const world = site.rehearsal.world(never, () => {});
  const [media, ...others] = await bootMediaOf({ fleet, selection: {}, output }, world);
  if (!media) throw new Error("nothing was found");
  expect(others).toEqual([]);
  expectGolden(
    renderBootMedia({ ...media, file: "talos.iso" }, false, testScreen()),
    import.meta.dirname,
    "testdata/image.txt",
  );
  expect(site.rehearsal.datacenter.factories[0]?.schematics()).toContain(media.schematic.id);
  expect(readFileSync(output).length).toBeGreaterThan(0);
  // A simulated factory is trusted by rehearsals only, so the command cannot be typed here.
  const out = testScreen({ isTerminal: false });
  const { lines, end } = openEnvelope({ out, redaction: new Redaction(), disclose: () => {} });
  lines.tell({ type: "image", ...media });
  end(0);
  holdToSchema(["image", "--json"], { code: 0, stdout: out.text });
});

test("image has nothing to show where machines bring their own system", async () => {
  writeFileSync(path.join(folder, "k3s.yaml"), file("k3s: { version: 1.36.3+k3s1, user: debian }"));
  const { code, stderr } = await inProcess(folder, ["image", "-f", "k3s.yaml"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("RUN_NO_BOOT_MEDIA")]);
});
