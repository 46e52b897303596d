import { existsSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { peers } from "../support/peers.ts";
import { withoutRealTalos } from "../support/talos/real-nodes.ts";
import { hasClients, type Bystander } from "../support/talos/real-program.ts";
import { realRack, type RealRack } from "../support/talos/real-rack.ts";

/**
 * Real Talos on machines that are there already, as examples/bare-metal.yaml has them: taken from maintenance mode into
 * a cluster, backed up, lost, restored, its authorities exchanged, and given back.
 */

const cluster = (patches = ""): string => `    network: { cidr: 10.5.4.0/24, gateway: .1 }
    controlPlanes: { machines: [rack-1] }
    workers: { machines: [rack-2] }
${patches}`;
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

const without = withoutRealTalos || (hasClients ? "" : "needs kubectl (npm ci) and lab/build-talosctl.sh");

describe.skipIf(without !== "")(`real Talos on machines of a list (${without || "here"})`, peers, () => {
  let rack: RealRack;

  beforeAll(async () => {
    rack = await realRack({
      net: "10.5.4",
      count: 2,
      cluster: cluster(),
      before: `secrets: { encryption: age, recipients: [${recipient}] }\nbackups: { places: [{ folder: ./backups }] }\n`,
      env: { SOPS_AGE_KEY: identity },
    });
  });
  afterAll(() => rack?.[Symbol.asyncDispose]());

  /** What a client says that must succeed. */
  const asked = async (answer: ReturnType<Bystander["kubectl"]>): Promise<string> => {
    const { code, stdout, stderr } = await answer;
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const notes = async (): Promise<string> => {
    const { kubectl } = await rack.bystander();
    return asked(kubectl("get", "configmaps", "-l", "lab=note", "-o", "name"));
  };
  const write = async (name: string): Promise<void> => {
    const { kubectl } = await rack.bystander();
    await asked(kubectl("create", "configmap", name, "--from-literal=of=lab"));
    await asked(kubectl("label", "configmap", name, "lab=note"));
  };
  const backup = (): string => path.join("backups", readdirSync(path.join(rack.folder, "backups"))[0] ?? "");

  test("up takes them from maintenance mode to Ready", { timeout: 1_200_000 }, async () => {
    await expect.poll(() => rack.states()).toEqual(["maintenance", "maintenance"]);
    expect(await rack.said("up", "--yes")).toContain("lab is up");
  });

  test("a second plan and a second up find nothing to do", async () => {
    expect(await rack.said("plan")).toContain("no changes");
    expect(await rack.said("up", "--yes")).toContain("no changes");
  });

  test("status and verify find it healthy, doctor finds no cause", async () => {
    expect(await rack.said("status")).toMatch(/lab +Ready +2 of 2/);
    // The pods it would try the network with need a busybox, which no module mirror has.
    await rack.said("verify", "--quick");
    expect((await rack.slipway("doctor")).stdout).not.toMatch(/DOCTOR_\w+/);
  });

  test("a support bundle tells of it, without its keys", async () => {
    await rack.said("support-bundle", "-o", "support.tar.gz");
    const text = gunzipSync(await readFile(path.join(rack.folder, "support.tar.gz"))).toString("latin1");
    expect(text).toContain("2 of 2, Talos 1.13.9");
    expect(text).not.toMatch(/PRIVATE KEY|LS0tLS1CRUdJTi/);
  });

  test("kubectl and talosctl work with the files that Slipway gives out", async () => {
    const { kubectl, talosctl } = await rack.bystander();
    const nodes = await asked(kubectl("get", "nodes", "-o", "wide"));
    expect(nodes).toMatch(/rack-1 +Ready .* 10\.5\.4\.11 .* Talos \(v1\.13\.9\)/);
    expect(nodes).toMatch(/rack-2 +Ready .* 10\.5\.4\.12 /);
    const on = ["--nodes", "10.5.4.11"];
    expect(await asked(talosctl("version", ...on))).toMatch(/Tag: +v1\.13\.9/);
    expect(await asked(talosctl("etcd", "members", ...on))).toContain("https://10.5.4.11:2379");
  });

  test("a patch that needs no reboot reaches the nodes in place", { timeout: 600_000 }, async () => {
    await rack.describe(cluster("    patches: [{ machine: { nodeLabels: { lab: real } } }]\n"));
    expect(await rack.said("plan")).toContain("no node reboots");
    await rack.said("up", "--yes");
    expect(await rack.said("plan")).toContain("no changes");
    const { kubectl } = await rack.bystander();
    await vi.waitFor(
      async () =>
        expect(await asked(kubectl("get", "nodes", "-l", "lab=real", "-o", "name"))).toBe(
          "node/rack-1\nnode/rack-2\n",
        ),
      { timeout: 60_000, interval: 1_000 },
    );
  });

  describe("backup and restore", () => {
    test("a backup holds etcd's snapshot, and is not restored over a cluster that runs", async () => {
      await write("before");
      await rack.said("backup", "lab");
      await rack.said("backup", "check", backup());
      await write("after");
      const { code, stdout, stderr } = await rack.slipway("restore", backup(), "--yes");
      expect([code, stdout + stderr]).toEqual([2, expect.stringContaining("RESTORE_CLUSTER_RUNS")]);
    });

    test(
      "what a container holds of a broken etcd is not wiped: the restore says so and begins nothing",
      { timeout: 900_000 },
      async () => {
        await rack.nodes.stop("rack-1");
        const data = `/var/tmp/slipway-real-talos/10.5.4/rack-1/disk/var/lib/etcd/member`;
        expect(existsSync(data)).toBe(true);
        rmSync(path.join(data, "wal"), { recursive: true });
        await rack.start("rack-1");
        await expect.poll(() => rack.states()).toEqual(["other-cluster", "other-cluster"]);
        // For a moment it prepares itself as one without data does; that it is broken is known once its health was asked for.
        const { talosctl } = await rack.bystander();
        const etcd = async () =>
          (await talosctl("service", "etcd", "-n", "10.5.4.11", "-e", "10.5.4.11")).stdout;
        await expect.poll(etcd, { interval: 500 }).toMatch(/HEALTH +Fail/);
        const { code, stdout, stderr } = await rack.slipway("restore", backup(), "--yes");
        expect([code, stdout + stderr]).toEqual([2, expect.stringContaining("RESTORE_NODE_IN_CONTAINER")]);
      },
    );

    test("all wiped, secrets and file gone: one command brings it back", { timeout: 1_200_000 }, async () => {
      await Promise.all([rack.lose("rack-1"), rack.lose("rack-2")]);
      await expect.poll(() => rack.states()).toEqual(["maintenance", "maintenance"]);
      for (const name of [".slipway", "slipway.yaml"])
        rmSync(path.join(rack.folder, name), { recursive: true });
      await rack.said("restore", backup(), "--yes");
      expect(await notes()).toBe("configmap/before\n");
      expect(await rack.said("plan")).toContain("no changes");
    });
  });

  describe("rotation", () => {
    test("new credentials work, and so do copies of the old ones", async () => {
      const before = await rack.bystander();
      await rack.said("rotate", "credentials", "lab", "--yes");
      for (const { kubectl, talosctl } of [before, await rack.bystander()]) {
        await asked(kubectl("get", "nodes"));
        await asked(talosctl("version", "--nodes", "10.5.4.11"));
      }
    });

    /** Whether the client of that authority gets in: kubectl at the API, talosctl at both nodes. */
    const getsIn = async ({ kubectl, talosctl }: Bystander, ca: string): Promise<boolean> => {
      const nodes = ["10.5.4.11", "10.5.4.12"];
      const asking =
        ca === "kubernetes"
          ? [kubectl("get", "nodes", "--request-timeout=10s")]
          : nodes.map((node) => talosctl("version", "-n", node, "-e", node));
      return (await Promise.all(asking)).every(({ code }) => code === 0);
    };

    test.each(["kubernetes", "talos"])(
      "the %s CA is exchanged: each bystander gets in as long as promised",
      { timeout: 1_200_000 },
      async (ca) => {
        const other = ca === "talos" ? "kubernetes" : "talos";
        const before = await rack.bystander();
        await rack.said("rotate", "ca", ca, "lab", "--yes");
        const paused = await rack.bystander();
        expect(await getsIn(before, ca), "from before, while both are accepted").toBe(false);
        expect(await getsIn(paused, ca), "written at the pause").toBe(true);
        expect(await getsIn(before, other), "the other client from before").toBe(true);
        await rack.said("rotate", "ca", ca, "lab", "--finish", "--yes");
        expect(await getsIn(before, ca), "from before, at the end").toBe(false);
        expect(await getsIn(paused, ca), "written at the pause, at the end").toBe(true);
        expect(await getsIn(await rack.bystander(), ca), "written at the end").toBe(true);
        expect(await rack.said("plan")).toContain("no changes");
      },
    );
  });

  test("down empties them, and they wait in maintenance mode", { timeout: 600_000 }, async () => {
    await rack.said("down", "--yes");
    await expect.poll(() => rack.states()).toEqual(["maintenance", "maintenance"]);
  });
});
