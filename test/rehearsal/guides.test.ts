import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseDatacenter } from "../../src/sim/index.ts";
import { bench } from "../support/sim-proxmox-bench.ts";
import { typedSite } from "../support/sim/sim-site.ts";
import { sampled } from "../support/whole-sweep.ts";

/** What the guides promise, done. */
const read = (page: string): string => readFileSync(path.resolve(import.meta.dirname, "../..", page), "utf8");

const rights = (page: string): string[] =>
  (/pveum role add Slipway --privs "([^"]+)"/.exec(read(page))?.[1] ?? "").split(" ");

const datacenterWith = (version: string, role: string[]) =>
  parseDatacenter(
    JSON.stringify({
      version,
      nodes: { hydra: { cores: 16, memory: "64GiB" } },
      storages: {
        local: { type: "dir", size: "100GiB", content: ["iso", "vztmpl", "backup", "import"] },
        "local-lvm": { type: "lvmthin", size: "1TiB", content: ["images", "rootdir"] },
      },
      users: { "slipway@pve": {} },
      roles: { Slipway: role },
      acl: [{ path: "/", role: "Slipway", user: "slipway@pve" }],
      tokens: { "slipway@pve!main": { secret: "5117a400-0000-4000-8000-000000000001", privsep: false } },
    }),
    "datacenter.yaml",
  );

const versions = [
  ["9.2", "127.42.30"],
  ["8.4", "127.42.31"],
] as const;

test.each(sampled(versions, 2))(
  "the role of the Proxmox guide is enough on Proxmox VE %s, from up to down",
  { timeout: 600_000 },
  async (version, net) => {
    const datacenter = datacenterWith(version, rights("docs/guides/proxmox-from-zero.md"));
    // Before Proxmox VE 9 no token may listen to a console.
    const extra = version === "8.4" ? "    talos: { firstContact: trust }\n" : "";
    await using site = await typedSite({ net, workers: 1, datacenter, extra });
    const up = await site.type(["up"]);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect((await site.type(["plan"])).stdout).toContain("no changes");
    const down = await site.type(["down", "--yes"]);
    expect(down.code, down.stderr).toBe(0);
    const { vms, volumes } = site.datacenter.proxmox.state();
    expect([Object.keys(vms), volumes]).toEqual([[], []]);
  },
);

test("machines of the guide's datacenter get the leases it promises, also on a network of Proxmox's own", async () => {
  const blocks = [...read("docs/guides/simulated-datacenter.md").matchAll(/^```yaml\n([^]*?)^```$/gm)];
  const text =
    blocks.map(([, block = ""]) => block).findLast((block) => /^nodes:[^]*dhcp:/m.test(block)) ?? "";
  const box = await bench({ datacenter: parseDatacenter(text, "guide") });
  const nics = [
    "virtio=02:A1:B2:C3:01:01,bridge=vmbr0",
    "virtio=02:A1:B2:C3:01:02,bridge=vmbr0",
    "virtio,bridge=servers",
  ];
  for (const [index, net0] of nics.entries()) {
    const vmid = String(100 + index);
    expect(await box.run("POST", "/nodes/hydra/qemu", { vmid, scsi0: "tank:10", net0 })).toBe("OK");
    expect(await box.run("POST", `/nodes/hydra/qemu/${vmid}/status/start`)).toBe("OK");
  }
  expect(box.booted.map(({ hardware }) => hardware.nics[0]?.lease)).toEqual([
    { cidr: "127.44.0.101/24", hostname: "cp-1" },
    { cidr: "127.44.0.200/24" },
    undefined,
  ]);
});

test("slipway up gets through the faults the guide shows", { timeout: 600_000 }, async () => {
  const blocks = [...read("docs/guides/simulated-datacenter.md").matchAll(/^```yaml\n([^]*?)^```$/gm)];
  const text = blocks.map(([, block = ""]) => block).findLast((block) => block.includes("faults:")) ?? "";
  await using site = await typedSite({
    net: "127.42.32",
    workers: 1,
    datacenter: parseDatacenter(text, "guide"),
  });
  const up = await site.type(["up", "--json"]);
  expect(up.code, up.stderr).toBe(0);
  expect(up.events.some((event) => event.type === "retried")).toBe(true);
  expect(site.datacenter.talos.bootstraps()).toEqual({ lab: 1 });
});
