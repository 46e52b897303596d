import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseDatacenter } from "../../src/sim/index.ts";
import { simSite, type Finished } from "../support/sim-site.ts";

const thin = { type: "lvmthin" };
const ceph = { type: "rbd", shared: true };

/** A Proxmox that knows nothing of Slipway but the password of its root. */
const datacenter = (version: string, nodes = ["hydra"]) =>
  parseDatacenter(
    JSON.stringify({
      version,
      nodes: Object.fromEntries(nodes.map((node) => [node, { cores: 16, memory: "64GiB" }])),
      storages: {
        local: { type: "dir", size: "100GiB", content: ["iso", "vztmpl", "backup", "import"] },
        "local-lvm": { ...(nodes.length > 1 ? ceph : thin), size: "1TiB", content: ["images", "rootdir"] },
      },
      users: { "root@pam": { password: "correct horse" } },
    }),
    "datacenter.yaml",
  );

const password = { SLIPWAY_PVE_PASSWORD: "correct horse" };
const granted = (run: Finished) =>
  JSON.parse(run.stdout) as { made: string[]; secret?: string; token: string };

test.each([
  ["9.2", "127.42.33", "VM.GuestAgent.Audit"],
  ["8.4", "127.42.34", "VM.Monitor"],
])(
  "what slipway proxmox grant makes on Proxmox VE %s is enough from up to down",
  { timeout: 90_000 },
  async (version, net, agent) => {
    const extra = "    talos: { version: 1.13.9, extensions: [qemu-guest-agent] }\n";
    await using site = await simSite({ net, workers: 1, datacenter: datacenter(version), extra });
    const first = await site.run(["proxmox", "grant", "hydra", "--json"], { env: password });
    expect(first.code, first.stderr).toBe(0);
    const { secret = "", token } = granted(first);
    expect(token).toBe("slipway@pve!main");
    const { roles, acl } = site.datacenter.proxmox.state();
    expect(acl.map((rule) => [rule.path, rule.role, rule.id, rule.propagate])).toEqual([
      ["/vms", "SlipwayMachines", "slipway@pve", true],
      ["/storage/local-lvm", "SlipwayDisks", "slipway@pve", true],
      ["/storage/local", "SlipwayImages", "slipway@pve", true],
      ["/nodes/hydra", "SlipwayNode", "slipway@pve", true],
      ["/sdn/zones/localnetwork/vmbr0", "SlipwayNetwork", "slipway@pve", true],
    ]);
    expect(roles["SlipwayMachines"]?.privs).toContain(agent);

    const env = { PVE_TOKEN: secret };
    const up = await site.run(["up"], { env });
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect((await site.run(["plan"], { env })).stdout).toContain("no changes");

    const again = await site.run(["proxmox", "grant", "--json"], { env: password });
    expect(granted(again)).toMatchObject({ made: [] });
    expect(again.stdout).not.toContain("secret");

    const down = await site.run(["down", "--yes"], { env });
    expect(down.code, down.stdout + down.stderr).toBe(0);
    const { vms, volumes } = site.datacenter.proxmox.state();
    expect([Object.keys(vms), volumes]).toEqual([[], []]);
  },
);

test("without a terminal and a password the commands are printed, and a wrong password changes nothing", async () => {
  await using site = await simSite({ net: "127.42.35", datacenter: datacenter("9.2") });
  const printed = await site.run(["proxmox", "grant"]);
  expect([
    printed.code,
    printed.stdout.split("\n").map((line) => line.split(" ").slice(0, 4).join(" ")),
  ]).toEqual([
    0,
    [
      "# https://127.42.35.250:8006 (hydra): as",
      "pveum user add slipway@pve",
      "pveum user token add",
      "pveum role add SlipwayMachines",
      "pveum role add SlipwayDisks",
      "pveum role add SlipwayImages",
      "pveum role add SlipwayNode",
      "pveum role add SlipwayNetwork",
      "pveum acl modify /vms",
      "pveum acl modify /storage/local-lvm",
      "pveum acl modify /storage/local",
      "pveum acl modify /nodes/hydra",
      "pveum acl modify /sdn/zones/localnetwork/vmbr0",
      "# The secret it",
      "",
    ],
  ]);
  const wrong = { SLIPWAY_PVE_PASSWORD: "not it" };
  const refused = await site.run(["proxmox", "grant"], { env: wrong });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("PVE_LOGIN_REFUSED")]);
  expect(refused.stdout + refused.stderr).not.toContain("not it");
  expect((await site.run(["proxmox", "grant", "hydar"])).code).toBe(2);
  expect(site.datacenter.proxmox.state().acl).toEqual([]);
});

test("a pool, a start order and clones of somebody's template are granted where they are, not everywhere", async () => {
  await using site = await simSite({
    net: "127.42.36",
    datacenter: datacenter("9.2"),
    extra:
      "    from: { existing: { vmid: 400 } }\n    hardware: { start: { order: 10 } }\n    snapshots: { keep: 2 }\n",
  });
  const text = readFileSync(site.file, "utf8").replace("      tls:", "      pool: kubernetes\n      tls:");
  writeFileSync(site.file, text);
  const { stdout, stderr } = await site.run(["proxmox", "grant", "--print", "--json"]);
  expect(stderr).toBe("");
  const { commands } = JSON.parse(stdout) as { commands: string[] };
  const rules = commands.filter((command) => command.startsWith("pveum acl")).join("\n");
  expect(rules).toContain("acl modify /pool/kubernetes --users slipway@pve --roles SlipwayMachines");
  expect(rules).toContain("acl modify /vms/400 --users slipway@pve --roles SlipwayTemplate");
  expect(rules).toContain("acl modify / --users slipway@pve --roles SlipwayCluster --propagate 0");
  expect(rules).not.toMatch(/modify \/vms |\/storage\/local /);
  const machines = commands.find((command) => command.includes("role add SlipwayMachines"));
  expect(machines).toContain("VM.Snapshot");
  expect(machines).not.toContain("VM.Clone");
  expect(commands.join()).not.toContain("Sys.AccessNetwork");
});

test(
  "rights for a pool, templates, start order, snapshots, HA and an account are enough too",
  { timeout: 90_000 },
  async () => {
    const extra = `    from: template
    ha: true
    cloudAccount: true
    snapshots: { keep: 1 }
    hardware: { start: { order: 10 } }
`;
    await using site = await simSite({
      net: "127.42.37",
      workers: 1,
      datacenter: datacenter("9.2", ["hydra", "lyra", "orion"]),
      extra,
    });
    const text = readFileSync(site.file, "utf8").replace("      tls:", "      pool: kubernetes\n      tls:");
    writeFileSync(site.file, text);
    site.datacenter.proxmox.state().pools["kubernetes"] = { vms: [], storages: [] };
    const grant = await site.run(["proxmox", "grant", "--json"], { env: password });
    expect(grant.code, grant.stderr).toBe(0);
    const env = { PVE_TOKEN: granted(grant).secret ?? "" };
    const up = await site.run(["up"], { env });
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect((await site.run(["plan"], { env })).stdout).toContain("no changes");
    const down = await site.run(["down", "--yes"], { env });
    expect(down.code, down.stdout + down.stderr).toBe(0);
    const { vms, volumes } = site.datacenter.proxmox.state();
    expect([Object.keys(vms), volumes]).toEqual([[], []]);
  },
);
