import https from "node:https";
import tls from "node:tls";
import { expect, test } from "vitest";
import { defaultDatacenter, parseDatacenter } from "../datacenter-file.ts";
import type { ProxmoxState } from "./index.ts";
import { bench, hosts, port, token, type Bench } from "../../../test/support/sim-proxmox-bench.ts";

const image = "https://factory.example/image/nocloud-amd64.qcow2";

const machine = {
  vmid: "100",
  name: "cp-1",
  cores: "2",
  memory: "4096",
  scsi0: "local-lvm:0,import-from=local:import/talos.qcow2",
  scsi1: "local-lvm:20",
  ide2: "local-lvm:cloudinit",
  net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=14",
  ipconfig0: "ip=192.168.1.101/24,gw=192.168.1.3",
  nameserver: "192.168.1.3 1.1.1.1",
  boot: "order=scsi0",
};

async function withImage(box: Bench): Promise<void> {
  const exit = await box.run("POST", "/nodes/hydra/storage/local/download-url", {
    content: "import",
    filename: "talos.qcow2",
    url: image,
  });
  expect(exit).toBe("OK");
}

test("a machine made from a downloaded image boots with its seed and knows where its disk came from", async () => {
  const box = await bench();
  await withImage(box);
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  expect(await box.run("PUT", "/nodes/hydra/qemu/100/resize", { disk: "scsi0", size: "50G" })).toBe("OK");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe("OK");
  expect(box.booted.map(({ hardware }) => hardware)).toEqual([
    {
      name: "cp-1",
      id: "100",
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      host: "hydra",
      cores: 2,
      memoryMiB: 4096,
      nics: [{ mac: "BC:24:11:00:00:01", bridge: "vmbr0", vlan: 14 }],
      disks: [
        { slot: "scsi0", sizeBytes: 50 * 2 ** 30 },
        { slot: "scsi1", sizeBytes: 20 * 2 ** 30 },
      ],
      seed: {
        bus: "ide",
        hostname: "cp-1",
        addresses: [{ mac: "BC:24:11:00:00:01", cidr: "192.168.1.101/24", gateway: "192.168.1.3" }],
        nameservers: ["192.168.1.3", "1.1.1.1"],
        instanceId: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
      },
      boot: [{ kind: "disk", slot: "scsi0", image }],
    },
  ]);
  const { data } = await box.ask("GET", "/nodes/hydra/qemu/100/config");
  expect(data).toMatchObject({
    scsi0: "local-lvm:vm-100-disk-0,size=50G",
    ide2: "local-lvm:vm-100-cloudinit,media=cdrom",
  });
});

test("stopping a machine cuts the guest's power, and deleting it leaves nothing", async () => {
  const box = await bench();
  await withImage(box);
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/stop")).toBe("OK");
  expect(box.stopped).toEqual(["cp-1"]);
  expect(await box.run("DELETE", "/nodes/hydra/qemu/100", { purge: "1" })).toBe("OK");
  expect((await box.ask("GET", "/nodes/hydra/storage/local-lvm/content")).data).toEqual([]);
  expect((await box.ask("GET", "/cluster/resources", { type: "vm" })).data).toEqual([]);
});

test("a guest that powers itself off reads stopped", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "100" });
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  box.booted[0]?.power.powerOff();
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/status/current")).data).toMatchObject({
    status: "stopped",
  });
});

test("its certificate is signed by its authority and has the told fingerprint", async () => {
  const { sim } = await bench();
  const socket = tls.connect({ host: hosts.hydra, port, ca: sim.ca });
  await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  expect(socket.authorized).toBe(true);
  expect(socket.getPeerCertificate().fingerprint256).toBe(sim.fingerprint);
  expect(socket.getPeerCertificate().subjectaltname).toContain("DNS:hydra");
  socket.destroy();
});

test("a kept connection answers a hundred calls and is then closed in time", async () => {
  const { sim, time } = await bench();
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: sim.ca });
  const connections: (string | undefined)[] = [];
  for (let n = 0; n < 120; n += 1) {
    const asked = new Promise<string | undefined>((resolve, reject) => {
      const options = {
        host: hosts.hydra,
        port,
        path: "/api2/json/version",
        agent,
        headers: { authorization: token },
      };
      https
        .get(options, (response) => {
          response.resume().on("end", () => resolve(response.headers.connection));
          expect(response.headers["keep-alive"]).toBeUndefined();
        })
        .on("error", reject);
    });
    connections.push(await time.during(asked));
  }
  agent.destroy();
  expect(connections.filter((connection) => connection === "close")).toHaveLength(1);
});

test("a call through another node runs on the node of its path", async () => {
  const box = await bench();
  const { data } = await box.ask("POST", "/nodes/lyra/qemu", { vmid: "100" }, hosts.orion);
  expect(data).toMatch(/^UPID:lyra:/);
  expect(await box.exitStatus(data as string)).toBe("OK");
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/config")).message).toBe(
    "Configuration file 'nodes/hydra/qemu-server/100.conf' does not exist\n",
  );
});

test("state that was saved goes on after a restart: tasks are lost, machines boot again, a half-made one stays locked", async () => {
  const first = await bench({ latencies: { importMs: 1_000_000 } });
  await withImage(first);
  await first.run("POST", "/nodes/hydra/qemu", { vmid: "101", name: "keeps" });
  await first.run("POST", "/nodes/hydra/qemu/101/status/start");
  const { data: upid } = await first.ask("POST", "/nodes/hydra/qemu", machine);
  expect(first.saves).toBeGreaterThan(3);
  const saved = JSON.parse(JSON.stringify(first.sim.state())) as ProxmoxState;
  await first.time.during(first.sim.close());
  const second = await bench({ saved });
  expect(second.sim.fingerprint).toBe(first.sim.fingerprint);
  expect(second.booted.map(({ hardware }) => hardware.name)).toEqual(["keeps"]);
  expect(await second.exitStatus(upid as string)).toBe("unexpected status");
  expect((await second.ask("GET", "/nodes/hydra/qemu/100/config")).data).toMatchObject({ lock: "create" });
  expect(await second.run("DELETE", "/nodes/hydra/qemu/100")).toBe("VM is locked (create)");
});

test("a power job waits for the machine's lock, and gives up after ten seconds", async () => {
  const box = await bench({ latencies: { startMs: 60_000 } });
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "100" });
  const start = await box.ask("POST", "/nodes/hydra/qemu/100/status/start");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/stop")).toBe(
    "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout",
  );
  expect(await box.exitStatus(start.data as string)).toBe("OK");
});

test("of two creates with one number one wins", async () => {
  const box = await bench();
  const answers = await Promise.all(
    ["hydra", "lyra"].map((node) => box.ask("POST", `/nodes/${node}/qemu`, { vmid: "100" })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 500]);
});

test("a new machine is unknown to cluster-wide lists until the status daemon has run", async () => {
  const datacenter = defaultDatacenter();
  const box = await bench({ datacenter });
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "100", tags: "b;a" });
  const list = async () => (await box.ask("GET", "/cluster/resources", { type: "vm" })).data;
  await box.time.until(async () => JSON.stringify(await list()).includes('"vmid":100'));
  expect(await list()).toEqual([expect.objectContaining({ tags: "a;b", status: "stopped" })]);
});

test("machines and images of the datacenter file are there from the start", async () => {
  const datacenter = parseDatacenter(
    `
nodes:
  hydra: { cores: 4, memory: 8GiB }
  lyra: { cores: 4, memory: 8GiB }
  orion: { cores: 4, memory: 8GiB }
storages:
  local: { type: dir, size: 10GiB, content: [import, images] }
users: { "slipway@pve": {} }
acl: [{ path: /, role: Administrator, user: slipway@pve }]
tokens: { "slipway@pve!main": { secret: 5117a400-0000-4000-8000-000000000001, privsep: false } }
vms: { 900: { node: lyra, config: { name: nas }, isRunning: true } }
images: [{ storage: local, node: lyra, file: import/x.qcow2, size: 1GiB }]
`,
    "dc.yaml",
  );
  const box = await bench({ datacenter });
  expect(box.booted.map(({ hardware }) => hardware.name)).toEqual(["nas"]);
  expect((await box.ask("GET", "/nodes/lyra/storage/local/content")).data).toEqual([
    expect.objectContaining({ volid: "local:import/x.qcow2", size: 2 ** 30 }),
  ]);
  expect((await box.ask("GET", "/cluster/nextid", { vmid: "900" })).status).toBe(400);
});
