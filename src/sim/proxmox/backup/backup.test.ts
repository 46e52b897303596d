import { expect, test } from "vitest";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";
import { defaultDatacenter, parseDatacenter } from "../../datacenter-file.ts";

const machine = {
  vmid: "100",
  name: "worker-1",
  memory: "512",
  tags: "a;b",
  description: "Node: 100 %\nsecond line",
  scsi0: "local-lvm:8",
  scsi1: "local-lvm:2",
  ide2: "local-lvm:cloudinit",
  net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
};

function datacenter() {
  const file = defaultDatacenter();
  file.storages["pbs"] = { type: "pbs", size: 2 ** 40, content: ["backup"], shared: true };
  return file;
}

async function machineThere(): Promise<Bench> {
  const box = await bench({ datacenter: datacenter(), latencies: { backupMs: 10_000 } });
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  return box;
}

const dump = { vmid: "100", storage: "local", mode: "snapshot", compress: "zstd" };
const vzdump = "/nodes/hydra/vzdump";
const listed = async (box: Bench, storage: string) =>
  (await box.ask("GET", `/nodes/hydra/storage/${storage}/content?content=backup&vmid=100`)).data as Record<
    string,
    unknown
  >[];
const lastLog = (box: Bench): string[] => box.sim.state().tasks.at(-1)?.log ?? [];

test("a backup is a volume with the machine's number, notes and configuration, on files and on a backup server", async () => {
  const box = await machineThere();
  expect(await box.run("POST", vzdump, { ...dump, "notes-template": "{{guestname}} on {{node}}" })).toBe(
    "OK",
  );
  expect(await box.run("POST", vzdump, { ...dump, storage: "pbs" })).toBe("OK");
  const [file] = await listed(box, "local");
  expect(file).toMatchObject({
    volid: expect.stringMatching(/^local:backup\/vzdump-qemu-100-[\d_]+-[\d_]+\.vma\.zst$/) as string,
    ...{ content: "backup", format: "vma.zst", subtype: "qemu", vmid: 100, notes: "worker-1 on hydra" },
  });
  const [snapshot] = await listed(box, "pbs");
  expect(snapshot).toMatchObject({
    volid: expect.stringMatching(/^pbs:backup\/vm\/100\/\d{4}-\d\d-\d\dT[\d:]{8}Z$/) as string,
    format: "pbs-vm",
  });
  const volume = encodeURIComponent(String(file?.["volid"]));
  const config = await box.ask("GET", `${vzdump}/extractconfig?volume=${volume}`);
  expect(config.data).toContain("#Node%3A 100 %25\n#second line\n");
  expect(config.data).toContain("\nmemory: 512\n");
  expect(box.sim.state().vms["100"]?.config["lock"]).toBeUndefined();
});

test("a backup tells how far it is, in the words of the server", async () => {
  const box = await machineThere();
  await box.run("POST", vzdump, dump);
  expect(lastLog(box).filter((line) => /%|disk|Finished|job/.test(line))).toMatchInlineSnapshot(`
    [
      "INFO: starting new backup job: vzdump 100 --storage local --mode snapshot --compress zstd",
      "INFO: include disk 'scsi0' 'local-lvm:vm-100-disk-0' 8G",
      "INFO: include disk 'scsi1' 'local-lvm:vm-100-disk-1' 2G",
      "INFO:  20% (2.0 GiB of 10.0 GiB) in 2s, read: 512.0 MiB/s, write: 498.2 MiB/s",
      "INFO:  40% (4.0 GiB of 10.0 GiB) in 4s, read: 512.0 MiB/s, write: 498.2 MiB/s",
      "INFO:  60% (6.0 GiB of 10.0 GiB) in 6s, read: 512.0 MiB/s, write: 498.2 MiB/s",
      "INFO:  80% (8.0 GiB of 10.0 GiB) in 8s, read: 512.0 MiB/s, write: 498.2 MiB/s",
      "INFO: 100% (10.0 GiB of 10.0 GiB) in 10s, read: 512.0 MiB/s, write: 498.2 MiB/s",
      "INFO: backup is sparse: 10.0 GiB (99%) total zero data",
      "INFO: Finished Backup of VM 100 (00:00:10)",
      "INFO: Backup job finished successfully",
    ]
  `);
});

test("what a backup cannot do is said in its task", async () => {
  const box = await machineThere();
  expect(await box.run("POST", vzdump, { ...dump, storage: "local-lvm" })).toBe(
    "could not get storage information for 'local-lvm': can't use storage 'local-lvm' for backups - wrong content type",
  );
  const vm = box.sim.state().vms["100"];
  if (vm) vm.config["lock"] = "migrate";
  expect(await box.run("POST", vzdump, dump)).toBe("job errors");
  expect(lastLog(box)).toContain("ERROR: Backup of VM 100 failed - VM is locked (migrate)");
  expect(await box.run("POST", vzdump, { ...dump, vmid: "101" })).toBe("job errors");
  expect(lastLog(box)).toContain("ERROR: Backup of VM 101 failed - unable to find VM '101'");
});

test("a machine comes back from its backup with its addresses, and with what is given beside it", async () => {
  const box = await machineThere();
  await box.run("POST", vzdump, dump);
  const archive = String((await listed(box, "local"))[0]?.["volid"]);
  const restore = { vmid: "100", archive };
  const create = (params: Record<string, string>) => box.ask("POST", "/nodes/hydra/qemu", params);
  expect((await create(restore)).reason).toBe(
    "unable to restore VM 100 - VM 100 already exists on node 'hydra'",
  );
  expect((await create({ ...restore, scsi2: "local-lvm:1" })).status).toBe(400);
  expect((await create({ vmid: "101", archive: "local-lvm:vm-100-disk-0" })).reason).toBe(
    "unable to use volume local-lvm:vm-100-disk-0 - content type needs to be 'backup'",
  );
  await box.run("DELETE", "/nodes/hydra/qemu/100?purge=1&destroy-unreferenced-disks=1");
  expect(await box.run("POST", "/nodes/hydra/qemu", { ...restore, memory: "1024" })).toBe("OK");
  const vm = box.sim.state().vms["100"];
  expect(vm?.config).toMatchObject({
    ...{ name: "worker-1", memory: "1024", tags: "a;b", net0: machine.net0 },
    scsi0: "local-lvm:vm-100-disk-0,size=8G",
    scsi1: "local-lvm:vm-100-disk-1,size=2G",
    ide2: expect.stringContaining("local-lvm:vm-100-cloudinit") as string,
  });
  expect(vm?.config["lock"]).toBeUndefined();
  expect(await box.run("POST", "/nodes/hydra/qemu", { vmid: "101", archive, unique: "1" })).toBe("OK");
  expect(box.sim.state().vms["101"]?.config["net0"]).not.toBe(machine.net0);
  expect(await box.run("POST", "/nodes/hydra/qemu", { vmid: "102", archive, storage: "nowhere" })).toBe(
    "unable to restore VM 102 - storage 'nowhere' does not exist",
  );
  expect(Object.keys(box.sim.state().vms)).toEqual(["100", "101"]);
});

test("a backup is seen by who may make one of the same machine", async () => {
  const box = await machineThere();
  await box.run("POST", vzdump, dump);
  const { acl, roles } = box.sim.state();
  roles["Reader"] = { privs: ["Datastore.AllocateSpace", "VM.Audit"], isBuiltIn: false };
  for (const rule of acl) rule.role = "Reader";
  expect(await listed(box, "local")).toEqual([]);
  expect(await box.run("POST", vzdump, dump)).toBe("403 Permission check failed (/vms/100, VM.Backup)");
  roles["Reader"].privs = ["VM.Backup", "VM.Audit", "Datastore.Audit"];
  expect((await box.ask("POST", vzdump, dump)).reason).toContain("/storage/local, Datastore.AllocateSpace");
  roles["Reader"].privs = ["VM.Backup", "Datastore.AllocateSpace"];
  expect(await listed(box, "local")).toHaveLength(1);
});

test("a backup server holds nothing but backups", () => {
  const text =
    "nodes: { a: { cores: 1, memory: 1GiB } }\nstorages: { pbs: { type: pbs, size: 1GiB, content: [images] } }";
  expect(() => parseDatacenter(text, "dc.yaml")).toThrow("Cannot");
});
