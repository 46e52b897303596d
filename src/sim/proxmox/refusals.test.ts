import { describe, expect, test } from "vitest";
import { bench } from "../../../test/support/sim-proxmox-bench.ts";

const machine = { vmid: "100", scsi0: "local-lvm:8", net0: "virtio,bridge=vmbr0" };
const config = "/nodes/hydra/qemu/100/config";

describe("what the real server refuses, or takes, besides its schema", () => {
  test("a CD drive given as a path of the host", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    const path = "/tmp/x.iso";
    expect(
      await box.ask("POST", "/nodes/hydra/qemu", { vmid: "101", ide2: `${path},media=cdrom` }),
    ).toMatchObject({
      status: 500,
      message: expect.stringMatching(/^Only root can pass arbitrary filesystem paths/) as unknown,
    });
    expect(await box.ask("PUT", config, { ide2: `${path},media=cdrom` })).toMatchObject({ status: 400 });
    expect(await box.ask("PUT", config, { cdrom: "none" })).toMatchObject({ status: 200 });
    expect(box.sim.state().vms["100"]?.config["ide2"]).toBe("none,media=cdrom");
  });

  test("a CD drive that comes later is put into the boot order", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    await box.ask("PUT", config, { ide2: "none" });
    expect(box.sim.state().vms["100"]?.config["boot"]).toBe("order=scsi0;net0;ide2");
  });

  test("a stale digest, by either of the config calls", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    for (const method of ["PUT", "POST"]) {
      expect(await box.ask(method, config, { cores: "2", digest: "abc" })).toMatchObject({
        status: 500,
        message: "checksum mismatch (file change by other user?)\n",
      });
    }
  });

  test("more memory to hand back than there is, and a change reverted and deleted at once", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    expect(await box.ask("POST", config, { memory: "512", balloon: "1024" })).toMatchObject({
      status: 500,
      message: "balloon value too large (must be smaller than assigned memory)\n",
    });
    expect((await box.ask("PUT", config, { revert: "cores", delete: "cores" })).status).toBe(400);
    expect((await box.ask("PUT", config, { revert: "no-such-key" })).status).toBe(400);
  });

  test("who waits for a change gets its outcome", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    expect(await box.ask("POST", config, { cores: "2", background_delay: "5" })).toMatchObject({
      status: 200,
      data: null,
    });
    expect(await box.ask("POST", config, { scsi1: "no-such:8", background_delay: "5" })).toMatchObject({
      status: 500,
    });
  });

  test("a second cloud-init drive, and one that is there already", async () => {
    const box = await bench();
    const both = { vmid: "101", ide0: "local-lvm:cloudinit", ide2: "local-lvm:cloudinit" };
    expect(await box.run("POST", "/nodes/hydra/qemu", both)).toBe(
      "unable to create VM 101 - ide0 - cloud-init drive is already attached at 'ide2'",
    );
    await box.run("POST", "/nodes/hydra/qemu", { ...machine, ide2: "local-lvm:cloudinit" });
    const put = async (ide: string) =>
      (await box.ask("PUT", config, { [ide]: "local-lvm:cloudinit" })).message;
    expect(await put("ide3")).toBe("ide3 - cloud-init drive is already attached at 'ide2'\n");
    expect(await put("ide2")).toMatch(/^disk image '.*vm-100-cloudinit' already exists\n$/);
  });

  test("files of one's own that are not there, when the drive is made of them", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", { ...machine, cicustom: "user=local:snippets/no.yaml" });
    expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe("OK");
    await box.run("POST", "/nodes/hydra/qemu/100/status/stop");
    const missing = "volume 'local:snippets/no.yaml' does not exist";
    expect((await box.ask("PUT", config, { ide2: "local-lvm:cloudinit" })).message).toBe(`${missing}\n`);
    expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe(missing);
  });

  test("hardware that does not go together", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", { ...machine, tpmstate0: "local-lvm:1,version=v2.0" });
    const put = async (params: Record<string, string>) => (await box.ask("PUT", config, params)).message;
    expect(await put({ machine: "pc,viommu=intel" })).toBe(
      "to use Intel vIOMMU please set the machine type to q35\n",
    );
    expect(await put({ vga: "serial0,clipboard=vnc" })).toBe(
      "vga type serial0 is not compatible with VNC clipboard\n",
    );
    const tpm = String(box.sim.state().vms["100"]?.config["tpmstate0"]).replace("v2.0", "v1.2");
    expect(await put({ tpmstate0: tpm })).toBe("cannot change TPM state version after creation\n");
    expect(await put({ boot: "order=net0", delete: "net0" })).toBe(
      "invalid bootorder: device 'net0' does not exist'\n",
    );
  });

  test("what is protected, as far as it is there", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    await box.ask("PUT", config, { scsi0: "local-lvm:1" });
    await box.ask("PUT", config, { protection: "1" });
    const drop = async (key: string) => (await box.ask("PUT", config, { delete: key })).message;
    expect(await drop("scsi9")).toBeUndefined();
    expect(await drop("scsi0")).toBe("can't remove drive 'scsi0' - protection mode enabled\n");
    expect(await drop("unused0")).toBe(
      "can't remove unused disk 'local-lvm:vm-100-disk-0' - protection mode enabled\n",
    );
  });

  test("a copy to a number that another node has", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    await box.run("POST", "/nodes/lyra/qemu", { vmid: "101" });
    expect(await box.run("POST", "/nodes/hydra/qemu/100/clone", { newid: "101" })).toBe(
      "close (rename) atomic file '/etc/pve/nodes/hydra/qemu-server/101.conf' failed: File exists",
    );
  });

  test("a copy to a storage that is not there, or that the other node does not share", async () => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    const clone = (params: Record<string, string>) =>
      box.ask("POST", "/nodes/hydra/qemu/100/clone", { newid: "101", full: "1", ...params });
    expect(await clone({ storage: "no-such" })).toMatchObject({
      status: 500,
      message: "storage 'no-such' does not exist\n",
    });
    expect(await clone({ storage: "local-lvm", target: "lyra" })).toMatchObject({
      status: 500,
      message: "can't clone to non-shared storage 'local-lvm'\n",
    });
    expect(await clone({ target: "lyra" })).toMatchObject({
      status: 500,
      message: "can't clone VM to node 'lyra' (VM uses local storage)\n",
    });
  });
});

test("nothing is kept as a blank where a blank means something, and not at all elsewhere", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", {
    ...machine,
    ciuser: "",
    ipconfig0: "",
    sshkeys: "",
    boot: "",
  });
  const { config: kept = {} } = box.sim.state().vms["100"] ?? {};
  expect(kept).toMatchObject({ ciuser: " ", ipconfig0: " ", boot: "order=scsi0;net0" });
  expect(kept).not.toHaveProperty("sshkeys");
});

test("Windows keeps the board it was made with", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", { ...machine, ostype: "win11", machine: "q35" });
  expect(box.sim.state().vms["100"]?.config["machine"]).toBe("pc-q35-10.0");
});

test("groups are made, joined, left and taken away by calls", async () => {
  const box = await bench();
  const groups = async () => (await box.ask("GET", "/access/groups")).data;
  await box.ask("POST", "/access/groups", { groupid: "crew", comment: "who is on board" });
  expect((await box.ask("POST", "/access/groups", { groupid: "crew" })).message).toBe(
    "create group failed: group 'crew' already exists\n",
  );
  expect((await box.ask("POST", "/access/users", { userid: "a@pve", groups: "no-such" })).message).toBe(
    "create user failed: no such group 'no-such'\n",
  );
  await box.ask("POST", "/access/users", { userid: "a@pve", groups: "crew" });
  expect(await groups()).toContainEqual({ groupid: "crew", users: "a@pve", comment: "who is on board" });
  await box.ask("PUT", "/access/users/a@pve", { groups: "" });
  expect((await box.ask("GET", "/access/groups/crew")).data).toMatchObject({ members: [] });
  expect((await box.ask("DELETE", "/access/groups/crew")).status).toBe(200);
  expect((await box.ask("GET", "/access/groups/crew")).message).toBe("group 'crew' does not exist\n");
});

test("the next free number keeps to the range of the datacenter, whose upper end is not part of it", async () => {
  const box = await bench();
  const next = () => box.ask("GET", "/cluster/nextid");
  await box.ask("PUT", "/cluster/options", { "next-id": "lower=500,upper=501" });
  expect((await next()).data).toBe("500");
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "500" });
  expect(await next()).toMatchObject({
    status: 500,
    message: "unable to get any free VMID in range [500, 501]\n",
  });
  expect((await box.ask("GET", "/cluster/options")).data).toMatchObject({
    "next-id": { lower: "500", upper: "501" },
  });
});

test("storages are defined, changed, switched off and taken away by calls", async () => {
  const box = await bench();
  expect(await box.ask("POST", "/storage", { storage: "more", type: "dir" })).toMatchObject({
    status: 500,
    message: "missing value for required option 'path'\n",
  });
  const made = { storage: "more", type: "dir", path: "/mnt/more", content: "images,iso" };
  expect((await box.ask("POST", "/storage", made)).data).toEqual({ storage: "more", type: "dir" });
  expect((await box.ask("POST", "/storage", made)).message).toBe(
    "create storage failed: storage ID 'more' already defined\n",
  );
  expect((await box.ask("PUT", "/storage/more", { vgname: "x" })).status).toBe(400);
  expect((await box.ask("PUT", "/storage/more", { delete: "path" })).message).toBe(
    "update storage failed: unable to delete required option 'path'\n",
  );
  await box.ask("PUT", "/storage/more", { disable: "1" });
  expect(await box.run("POST", "/nodes/hydra/qemu", { vmid: "100", scsi0: "more:1" })).toBe(
    "unable to create VM 100 - storage 'more' is disabled",
  );
  expect((await box.ask("DELETE", "/storage/more")).status).toBe(200);
  expect((await box.ask("GET", "/storage/more")).message).toBe("storage 'more' does not exist\n");
});

test("what is root's alone is refused where it says something, not where it is switched off", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  const base = "/nodes/hydra/qemu/100";
  const only = "Parameter verification failed.\n";
  for (const [name, value] of [
    ["force-cpu", "host"],
    ["migration_network", "10.0.0.0/24"],
    ["targetstorage", "local-lvm"],
  ] as const) {
    expect((await box.ask("POST", `${base}/status/start`, { [name]: value })).message).toBe(only);
  }
  expect(await box.run("POST", `${base}/status/start`, { skiplock: "0" })).toBe("OK");
  expect((await box.ask("POST", `${base}/status/stop`, { keepActive: "1" })).message).toBe(only);
  expect(await box.run("POST", `${base}/status/stop`, { keepActive: "0", skiplock: "0" })).toBe("OK");
  expect((await box.ask("POST", `${base}/migrate`, { target: "lyra", force: "1" })).message).toBe(only);
  const move = { target: "lyra", force: "0", targetstorage: "no-such" };
  expect((await box.ask("POST", `${base}/migrate`, move)).message).toBe("storage 'no-such' does not exist\n");
  expect((await box.ask("POST", `${base}/migrate`, { ...move, targetstorage: "local" })).message).toBe(
    "storage 'local' does not support vm images\n",
  );
});

test("what a snapshot can do is asked of the snapshot, and of nothing where there is none", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  const can = (vmid: number, params = {}) =>
    box.ask("GET", `/nodes/hydra/qemu/${vmid}/feature`, { feature: "clone", ...params });
  expect((await can(100, { snapname: "before" })).message).toBe("snapshot 'before' does not exist\n");
  expect((await can(999)).message).toBe("unable to find configuration file for VM 999 on node 'hydra'\n");
});

test("a machine that is held still cannot be asked to shut down, only be stopped", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  const turn = (what: string, params = {}) => box.ask("POST", `/nodes/hydra/qemu/100/status/${what}`, params);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  await box.run("POST", "/nodes/hydra/qemu/100/status/suspend");
  for (const what of ["shutdown", "reboot"]) {
    expect((await turn(what)).message).toBe("VM is paused - cannot shutdown\n");
  }
  expect((await turn("shutdown", { forceStop: "1" })).status).toBe(200);
});

test("a storage that a node cannot use is listed as such, unless somebody asks for what it would hold", async () => {
  const box = await bench();
  const made = { type: "dir", path: "/mnt/more", content: "images" };
  await box.ask("POST", "/storage", { ...made, storage: "elsewhere", nodes: "lyra" });
  await box.ask("POST", "/storage", { ...made, storage: "off", disable: "1" });
  const names = async (params: Record<string, string>) => {
    const { data } = await box.ask("GET", "/nodes/hydra/storage", params);
    return (data as { storage: string }[]).map(({ storage }) => storage);
  };
  const unusable = { active: 0, enabled: 0, total: 0, used: 0, avail: 0 };
  expect((await box.ask("GET", "/nodes/hydra/storage/elsewhere/status")).data).toMatchObject(unusable);
  expect((await box.ask("GET", "/nodes/hydra/storage/off/status")).data).toMatchObject(unusable);
  expect(await names({})).toEqual(expect.arrayContaining(["elsewhere", "off"]));
  expect(await names({ content: "images" })).not.toContain("elsewhere");
  expect(await names({ enabled: "1" })).not.toContain("off");
  expect((await box.ask("GET", "/nodes/hydra/storage", { storage: "off", content: "iso" })).status).toBe(400);
  const image = { url: "http://images/x.iso", content: "iso", filename: "x.txt" };
  const download = (storage: string) =>
    box.ask("POST", `/nodes/hydra/storage/${storage}/download-url`, image);
  expect((await download("off")).message).toBe("storage 'off' is disabled\n");
  expect((await download("elsewhere")).message).toBe(
    "storage 'elsewhere' is not available on node 'hydra'\n",
  );
});

test("whoever is asked passes a call on only where it must, and says so of an unknown node", async () => {
  const box = await bench();
  expect((await box.ask("GET", "/nodes/nobody/status")).message).toMatch(/^hostname lookup 'nobody' failed/);
  expect((await box.ask("GET", "/nodes/nobody")).data).toContainEqual({ name: "qemu" });
  expect((await box.ask("GET", "/nodes/no_body")).status).toBe(400);
});

test("a contradiction to the path is found before any right is asked for", async () => {
  const box = await bench();
  expect((await box.ask("PUT", "/nodes/nobody/qemu/100/config", { vmid: "101" })).status).toBe(400);
});

test("users show what their line in the file holds, with groups and tokens when asked in full", async () => {
  const box = await bench();
  await box.ask("POST", "/access/groups", { groupid: "crew" });
  await box.ask("POST", "/access/users", { userid: "bare@pve" });
  await box.ask("POST", "/access/users", { userid: "noted@pve", comment: "hello", groups: "crew" });
  const user = async (full: string, id: string) => {
    const { data } = await box.ask("GET", "/access/users", { full });
    return (data as { userid: string }[]).find(({ userid }) => userid === id);
  };
  expect(await user("0", "bare@pve")).toEqual({
    userid: "bare@pve",
    "realm-type": "pve",
    enable: 1,
    expire: 0,
  });
  expect(await user("1", "noted@pve")).toMatchObject({ email: "", groups: "crew", tokens: null });
});

test("folders of the API say what is below them, and the tree ends where it ends", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  expect((await box.ask("GET", "/access")).data).toContainEqual({ subdir: "users" });
  expect((await box.ask("GET", "/cluster/ha")).data).toContainEqual({ id: "resources" });
  expect((await box.ask("GET", "/nodes/hydra")).data).toContainEqual({ name: "qemu" });
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/status")).data).toContainEqual({ subdir: "current" });
  expect((await box.ask("GET", "/nodes/hydra/qemu/999/status")).status).toBe(500);
  expect((await box.ask("GET", "/nodes/hydra/no-such")).status).toBe(501);
});

test("no realm is guessed at log-in, and whoever is out of date stays out", async () => {
  const box = await bench();
  const { users } = box.sim.state();
  users["somebody@pve"] = { enable: true, expire: 0, password: "sesame-open" };
  const logIn = (params: Record<string, string>) =>
    box.ask("POST", "/access/ticket", { password: "sesame-open", ...params });
  expect((await logIn({ username: "somebody" })).status).toBe(401);
  expect((await logIn({ username: "somebody", realm: "pve" })).status).toBe(200);
  expect((await logIn({ username: "somebody@pve", realm: "pve" })).status).toBe(401);
  users["somebody@pve"].expire = 1;
  expect((await logIn({ username: "somebody@pve" })).status).toBe(401);
});
