import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { parseDatacenter } from "../../src/sim/index.ts";
import { typedSite, type Finished } from "../support/sim/sim-site.ts";
import { sampled, whole } from "../support/whole-sweep.ts";
import { firstLine } from "../support/screens/json-lines.ts";

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
  firstLine(run.stdout) as { made: string[]; secret?: string; token: string };

const versions = [
  ["9.2", "127.42.33", "VM.GuestAgent.Audit"],
  ["8.4", "127.42.34", "VM.Monitor"],
] as const;

test.each(sampled(versions, 2, 1))(
  "what slipway proxmox grant makes on Proxmox VE %s is enough from up to down",
  { timeout: 600_000 },
  async (version, net, agent) => {
    // Before Proxmox VE 9 no token may listen to a console.
    const contact = version === "8.4" ? ", firstContact: trust" : "";
    const extra = `    talos: { version: 1.13.9, extensions: [qemu-guest-agent]${contact} }\n`;
    await using site = await typedSite({ net, workers: 1, datacenter: datacenter(version), extra });
    const first = await site.type(["proxmox", "grant", "hydra", "--json"], password);
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
      ["/", "SlipwayCluster", "slipway@pve", false],
    ]);
    expect(roles["SlipwayMachines"]?.privs).toContain(agent);

    const env = { PVE_TOKEN: secret };
    const up = await site.type(["up"], env);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect((await site.type(["plan"], env)).stdout).toContain("no changes");

    const again = await site.type(["proxmox", "grant", "--json"], password);
    expect(granted(again)).toMatchObject({ made: [] });
    expect(again.stdout).not.toContain("secret");

    const down = await site.type(["down", "--yes"], env);
    expect(down.code, down.stdout + down.stderr).toBe(0);
    const { vms, volumes } = site.datacenter.proxmox.state();
    expect([Object.keys(vms), volumes]).toEqual([[], []]);
  },
);

test("grant without a terminal and a password says that it did nothing [proxmox 6]", async () => {
  await using site = await typedSite({ net: "127.42.38", datacenter: datacenter("9.2") });
  const { code, stdout, stderr } = await site.type(["proxmox", "grant"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("PVE_PASSWORD_MISSING");
  expect(stderr).toContain("nothing was changed");
  expect(site.datacenter.proxmox.state().acl).toEqual([]);
});

test("grant --print prints the commands, and a wrong password changes nothing", async () => {
  await using site = await typedSite({ net: "127.42.35", datacenter: datacenter("9.2") });
  const printed = await site.type(["proxmox", "grant", "--print"]);
  expect([
    printed.code,
    printed.stdout.split("\n").map((line) => line.split(" ").slice(0, 4).join(" ")),
  ]).toEqual([
    0,
    [
      "# https://127.42.35.250:8006 (hydra): as",
      "pveum user list --output-format",
      "pveum user token list",
      "pveum role modify SlipwayMachines",
      "pveum role modify SlipwayDisks",
      "pveum role modify SlipwayImages",
      "pveum role modify SlipwayNode",
      "pveum role modify SlipwayNetwork",
      "pveum role modify SlipwayCluster",
      "pveum acl modify /vms",
      "pveum acl modify /storage/local-lvm",
      "pveum acl modify /storage/local",
      "pveum acl modify /nodes/hydra",
      "pveum acl modify /sdn/zones/localnetwork/vmbr0",
      "pveum acl modify /",
      "# The secret of",
      "",
    ],
  ]);
  const wrong = { SLIPWAY_PVE_PASSWORD: "not it" };
  const refused = await site.type(["proxmox", "grant"], wrong);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("PVE_LOGIN_REFUSED")]);
  expect(refused.stdout + refused.stderr).not.toContain("not it");
  expect((await site.type(["proxmox", "grant", "hydar"])).code).toBe(2);
  expect(site.datacenter.proxmox.state().acl).toEqual([]);
});

/** As far as the printed commands use it: it refuses to make what is there, as the real one does. */
const pveum = `#!/usr/bin/env bash
state="$(dirname "$0")/state"; mkdir -p "$state"
case "$1 $2" in
  "user list") for user in "$state"/user-*; do [ -e "$user" ] && echo "[{\\"userid\\":\\"$(basename "$user" | cut -c6-)\\"}]"; done; exit 0;;
  "user add") [ -e "$state/user-$3" ] && { echo "user already exists" >&2; exit 255; }; touch "$state/user-$3";;
  "user token")
    case "$3" in
      list) for token in "$state"/token-*; do [ -e "$token" ] && echo "[{\\"tokenid\\":\\"$(basename "$token" | cut -c7-)\\"}]"; done; exit 0;;
      add) [ -e "$state/token-$5" ] && { echo "Token already exists." >&2; exit 255; }; touch "$state/token-$5";;
    esac;;
  "role add") [ -e "$state/role-$3" ] && { echo "role already exists" >&2; exit 255; }; echo "$5" > "$state/role-$3";;
  "role modify") [ -e "$state/role-$3" ] || { echo "role does not exist" >&2; exit 255; }; echo "$7" >> "$state/role-$3";;
  "acl modify") echo "$@" >> "$state/acl";;
esac
`;

test("what grant --print prints can be run again, and adds what is missing [proxmox 5]", async () => {
  await using site = await typedSite({ net: "127.42.39", datacenter: datacenter("9.2") });
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-pveum-"));
  writeFileSync(path.join(folder, "pveum"), pveum, { mode: 0o755 });
  const { stdout } = await site.type(["proxmox", "grant", "--print"]);
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const run = () => execFileSync("bash", ["-e", "-o", "pipefail", "-c", stdout], { env, encoding: "utf8" });
  const role = path.join(folder, "state", "role-SlipwayMachines");
  try {
    run();
    expect(readFileSync(role, "utf8")).toContain("VM.Config.Cloudinit");
    // As an older Slipway had left it.
    writeFileSync(role, "VM.Allocate\n");
    run();
    expect(readFileSync(role, "utf8")).toMatch(/^VM\.Allocate\n.*VM\.Config\.Cloudinit/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("grant run again adds what is missing, and tells what it added [proxmox 5]", async () => {
  await using site = await typedSite({ net: "127.42.40", datacenter: datacenter("9.2") });
  await site.type(["proxmox", "grant", "--json"], password);
  const { roles } = site.datacenter.proxmox.state();
  const held = roles["SlipwayMachines"];
  if (!held) throw new Error("no role was made");
  held.privs = held.privs.filter((right) => right !== "VM.Config.Cloudinit" && right !== "VM.Snapshot");
  const again = await site.type(["proxmox", "grant", "--json"], password);
  expect(granted(again).made).toEqual(["in role SlipwayMachines: VM.Config.Cloudinit, VM.Snapshot"]);
  expect(roles["SlipwayMachines"]?.privs).toContain("VM.Config.Cloudinit");
});

test("the widest rights can be left out: that to delete files, and those on every machine [attack 22]", async () => {
  await using site = await typedSite({ net: "127.42.41", datacenter: datacenter("9.2") });
  const plain = await site.type(["proxmox", "grant", "--print"]);
  expect(plain.stdout).toContain("Datastore.Allocate ");
  const { stdout } = await site.type(["proxmox", "grant", "--print", "--keep-images"]);
  expect(stdout).not.toContain("Datastore.Allocate ");
  expect(stdout).toContain("Datastore.AllocateTemplate");
  const text = readFileSync(site.file, "utf8").replace("      tls:", "      pool: kubernetes\n      tls:");
  writeFileSync(site.file, text);
  expect((await site.type(["proxmox", "grant", "--print"])).stdout).not.toContain("/vms");
});

test("a pool, a start order and clones of somebody's template are granted where they are, not everywhere", async () => {
  await using site = await typedSite({
    net: "127.42.36",
    datacenter: datacenter("9.2"),
    extra:
      "    from: { existing: { vmid: 400 } }\n    hardware: { start: { order: 10 } }\n    snapshots: { keep: 2 }\n",
  });
  const text = readFileSync(site.file, "utf8").replace("      tls:", "      pool: kubernetes\n      tls:");
  writeFileSync(site.file, text);
  const { stdout, stderr } = await site.type(["proxmox", "grant", "--print", "--json"]);
  expect(stderr).toBe("");
  const { commands } = firstLine(stdout) as { commands: string[] };
  const rules = commands.filter((command) => command.startsWith("pveum acl")).join("\n");
  expect(rules).toContain("acl modify /pool/kubernetes --users slipway@pve --roles SlipwayMachines");
  expect(rules).toContain("acl modify /vms/400 --users slipway@pve --roles SlipwayTemplate");
  expect(rules).toContain("acl modify / --users slipway@pve --roles SlipwayCluster --propagate 0");
  expect(rules).not.toMatch(/modify \/vms |\/storage\/local /);
  const machines = commands.find((command) => command.includes("SlipwayMachines"));
  expect(machines).toContain("VM.Snapshot");
  expect(machines).not.toContain("VM.Clone");
  expect(commands.join()).not.toContain("Sys.AccessNetwork");
});

test(
  "rights for a pool, templates, start order, snapshots, HA and an account are enough too",
  { ...whole, timeout: 600_000 },
  async () => {
    const extra = `    from: template
    ha: true
    cloudAccount: true
    snapshots: { keep: 1 }
    hardware: { start: { order: 10 } }
`;
    await using site = await typedSite({
      net: "127.42.37",
      workers: 1,
      datacenter: datacenter("9.2", ["hydra", "lyra", "orion"]),
      extra,
    });
    const text = readFileSync(site.file, "utf8").replace("      tls:", "      pool: kubernetes\n      tls:");
    writeFileSync(site.file, text);
    site.datacenter.proxmox.state().pools["kubernetes"] = { vms: [], storages: [] };
    const grant = await site.type(["proxmox", "grant", "--json"], password);
    expect(grant.code, grant.stderr).toBe(0);
    const env = { PVE_TOKEN: granted(grant).secret ?? "" };
    const up = await site.type(["up"], env);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect((await site.type(["plan"], env)).stdout).toContain("no changes");
    const down = await site.type(["down", "--yes"], env);
    expect(down.code, down.stdout + down.stderr).toBe(0);
    const { vms, volumes } = site.datacenter.proxmox.state();
    expect([Object.keys(vms), volumes]).toEqual([[], []]);
  },
);
