import { expect, test } from "vitest";
import { proxmoxSite } from "../../../../test/support/proxmox/site.ts";
import { machine, running } from "../../../../test/support/proxmox/running-machine.ts";

const thickStorage = `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  thick: { type: lvm, size: 10GiB, content: [images] }`;

test("a disk that cannot be made leaves the machine on and nothing waiting for its next start [proxmox 2]", async () => {
  await using here = await proxmoxSite({ storages: thickStorage });
  const { want, update, compare, read, restarts } = await running(here);
  const dataDisks = [...want.dataDisks, { sizeGiB: 20, storage: "thick" }];
  const changed = { ...want, dataDisks, tags: [...want.tags, "z"] };
  expect(await compare(changed)).toMatchObject({ consequence: "hot" });
  await expect(update(changed)).rejects.toMatchObject({
    why: expect.stringContaining("insufficient free space") as unknown,
  });
  expect(restarts()).toBe(0);
  expect((await read()).isRunning).toBe(true);
  const { now, next } = await here.client.machineState(machine);
  expect(next).toEqual(now);
});

test("a restart is not begun before Proxmox has taken all that it is for [proxmox 2] [proxmox 1]", async () => {
  await using here = await proxmoxSite({ storages: thickStorage });
  const { want, update, compare, read, restarts } = await running(here);
  const changed = { ...want, cores: 4, dataDisks: [...want.dataDisks, { sizeGiB: 20, storage: "thick" }] };
  expect(await compare(changed)).toMatchObject({ consequence: "reboot" });
  await expect(update(changed)).rejects.toMatchObject({
    why: expect.stringContaining("insufficient free space") as unknown,
  });
  expect(restarts()).toBe(0);
  expect((await read()).isRunning).toBe(true);
  const { now, next } = await here.client.machineState(machine);
  expect(next).toEqual(now);
});

test("a machine that does not start with its new settings is started with its old ones [proxmox 2]", async () => {
  await using here = await proxmoxSite();
  const { want, update, read, restarts, config } = await running(here);
  // More cores than the node has are refused at the start, not before.
  await expect(update({ ...want, cores: 200 })).rejects.toMatchObject({
    why: expect.stringContaining("vcpus allowed") as unknown,
  });
  expect(restarts()).toBe(1);
  expect((await read()).isRunning).toBe(true);
  expect(await config()).toMatchObject({ cores: "2" });
  expect(here.log).toContain("warn: cp-1 was started again with its old settings");
});
