import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  startBlockDaemon,
  withoutBlocks,
  type BlockDaemon,
} from "../../../../test/support/libvirt/block-daemon.ts";
import { libvirtLife, type LibvirtLife } from "../../../../test/support/libvirt/life.ts";
import { schemaComplaints } from "../../../../test/support/libvirt/xml-validate.ts";
import { poolXml } from "../pool/pool-xml.ts";
import { readMachine } from "./read-machine.ts";
import { peers } from "../../../../test/support/peers.ts";

const group = "slipway-test-vg";

describe.skipIf(withoutBlocks !== "")(`a pool of block devices (${withoutBlocks || "here"})`, peers, () => {
  let daemon: BlockDaemon;
  let lab: LibvirtLife;

  beforeAll(async () => {
    daemon = startBlockDaemon(group);
    lab = await libvirtLife(group, "10.213.97.0/24", {
      connect: daemon.connect,
      pool: "blocks",
      format: "raw",
    });
    const pool = await lab.client.definePool(poolXml({ name: "blocks", kind: "logical", group }));
    await lab.client.startPool(pool);
  });
  afterAll(async () => {
    await lab?.close();
    daemon.close();
  });

  const devices = () => readdirSync(`/dev/${group}`).toSorted();

  test("holds image, disks and seed of a machine as plain devices, and nothing when it is gone", async () => {
    const wanted = lab.cluster([{ dataDisks: [{ sizeGiB: 1 }] }]);
    const failures = (await lab.preflight(wanted)).filter(({ status }) => status === "failed");
    expect(failures).toEqual([]);
    expect((await lab.up(wanted)).failed).toEqual([]);
    expect((await lab.plan(wanted)).changes).toEqual([]);
    const xml = await lab.client.domainXml(await lab.client.findDomain(`${group}-cp-1`), "running");
    expect(schemaComplaints(xml, "domain")).toBe("");
    expect(readMachine(xml)).toMatchObject({
      disks: [
        { source: { kind: "block", path: `/dev/${group}/${group}-cp-1.img` }, format: "raw", cache: "none" },
        { source: { kind: "block", path: `/dev/${group}/slipway.${group}.cp-1.data1.img` }, format: "raw" },
      ],
    });
    expect(devices()).toHaveLength(5);
    expect((await lab.down(wanted)).failed).toEqual([]);
    expect(devices()).toEqual([`slipway.${group}.cp-1.data1.img`]);
    expect(await lab.kept()).toMatchObject([{ node: "cp-1", sizeGiB: 1 }]);
    expect((await lab.down(wanted, { losesData: true })).failed).toEqual([]);
    expect(devices()).toEqual([]);
  });

  test("lets a disk grow only once its device has", async () => {
    const larger = lab.cluster([{ diskGiB: 2 }]);
    expect((await lab.up(lab.cluster([{}]))).failed).toEqual([]);
    expect((await lab.up(larger)).failed).toMatchObject([{ error: { code: "LIBVIRT_DISK_FIXED" } }]);
    daemon.extend(`${group}-cp-1.img`, "2G");
    expect((await lab.up(larger)).failed).toEqual([]);
    expect((await lab.plan(larger)).changes).toEqual([]);
  });

  test("takes plain images only, which preflight says", async () => {
    const packed = await libvirtLife(`${group}-x`, "10.213.98.0/24", {
      connect: daemon.connect,
      pool: "blocks",
    });
    const errors = (await packed.preflight(packed.cluster([{}]))).flatMap(({ error }) => error?.code ?? []);
    await packed.close();
    expect(errors).toEqual(["LIBVIRT_IMAGE_UNFIT"]);
  });

  test("is no use when libvirt copies nothing in it", async () => {
    const name = `${group}-disk`;
    await lab.client
      .definePool(`<pool type="disk"><name>${name}</name><source><device path="/dev/loop9"/></source>
      <target><path>/dev</path></target></pool>`);
    const other = await libvirtLife(`${group}-y`, "10.213.98.0/24", { connect: daemon.connect, pool: name });
    const errors = (await other.preflight(other.cluster([{}]))).flatMap(({ error }) => error?.code ?? []);
    await other.close();
    expect(errors).toEqual(["LIBVIRT_POOL_UNFIT"]);
  });
});
