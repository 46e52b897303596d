import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { libvirtLife, type LibvirtLife } from "../../../../test/support/libvirt/life.ts";
import { libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { schemaComplaints } from "../../../../test/support/libvirt/xml-validate.ts";
import { talosOf, type Node } from "../../../spec/index.ts";
import { readMachine } from "./read-machine.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-uefi";
/** Less, and OVMF itself does not come up. */
const memoryMiB = 96;
const hardware = { firmware: "uefi", tpm: false } as const;

describe.skipIf(libvirtSocket === undefined)(`a machine with UEFI (${withoutLibvirt})`, peers, () => {
  let lab: LibvirtLife;
  beforeAll(async () => {
    lab = await libvirtLife(prefix, "10.213.95.0/24");
  });
  afterAll(() => lab.close());

  const variables = async () => (await lab.listing()).filter((each) => each.startsWith("variables "));

  test("starts from OVMF, with variables of its own that go with it", async () => {
    const uefi: Partial<Node> = { memoryMiB, hardware };
    const wanted = lab.cluster([uefi]);
    expect((await lab.up(wanted)).failed).toEqual([]);
    const domain = await lab.client.findDomain(`${prefix}-cp-1`);
    for (const which of ["defined", "running"] as const) {
      const xml = await lab.client.domainXml(domain, which);
      expect(readMachine(xml)).toMatchObject({ firmware: "uefi", isSecureBoot: false });
      expect(schemaComplaints(xml, "domain")).toBe("");
    }
    expect(await lab.client.domainXml(domain, "running")).toMatch(/<loader [^>]*pflash[^>]*>.*OVMF/);
    // The firmware itself says on the console that the disk has nothing to start from.
    await expect.poll(() => consoleText(lab), { timeout: 80_000, interval: 500 }).toContain("BdsDxe");
    expect(await variables()).toHaveLength(1);

    const changed = lab.cluster([{ ...uefi, memoryMiB: memoryMiB + 16 }]);
    expect((await lab.up(changed)).failed).toEqual([]);
    expect((await lab.plan(changed)).changes).toEqual([]);
    expect(await variables()).toHaveLength(1);

    expect((await lab.down(changed)).failed).toEqual([]);
    expect(await lab.listing()).toEqual([]);
  });

  test("with secure boot is started by a firmware that can, and leaves as little", async () => {
    const plain = lab.cluster([{ memoryMiB, hardware }]);
    const wanted = { ...plain, distribution: { ...talosOf(plain), isSecureBoot: true as const } };
    expect((await lab.up(wanted)).failed).toEqual([]);
    const xml = await lab.client.domainXml(await lab.client.findDomain(`${prefix}-cp-1`), "running");
    expect(readMachine(xml)).toMatchObject({ firmware: "uefi", isSecureBoot: true as const });
    expect(schemaComplaints(xml, "domain")).toBe("");
    expect((await lab.plan(wanted)).changes).toEqual([]);
    expect((await lab.down(wanted)).failed).toEqual([]);
    expect(await lab.listing()).toEqual([]);
  });
});

const consoleText = ({ folder }: LibvirtLife): string =>
  readFileSync(`${folder}/${prefix}-cp-1-console.log`, "latin1");
