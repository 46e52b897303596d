import { readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { probeTalos } from "../../src/clients/talos/index.ts";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import { talosMinorOf } from "../../src/spec/index.ts";
import { findKubectl } from "../support/kube/kubectl.ts";
import { peers } from "../support/peers.ts";
import { realTalos, withoutRealTalos } from "../support/talos/real-nodes.ts";
import type { Bystander } from "../support/talos/real-program.ts";
import { realSite, type RealSite } from "../support/talos/real-site.ts";
import { findTalosctl } from "../support/talos/talosctl.ts";

/**
 * The whole way to a small homelab on real Talos: machined, etcd, the API server and the kubelet are the real programs,
 * each node in namespaces of this machine. Only the hypervisor is simulated: its power-on starts such a node. It is
 * examples/proxmox-iso-homelab.yaml as far as nodes without disks go: no ISO, no data disks, no Cilium.
 */

const controlPlane = "10.5.1.101";
const cluster = (patches = "") => `    network: { cidr: 10.5.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, names: "talos-control-{01}", cores: 2, memory: 2GiB, disk: 50GiB, address: .101, vmid: 2000 }
    workers: { count: 2, names: "talos-worker-{01}", cores: 4, memory: 3GiB, disk: 50GiB, address: .102, vmid: 3000 }
${patches}`;

const probe = async (address: string): Promise<string> =>
  (await probeTalos({ address, dial: dialDirect, clock: realClock, timeoutMs: 2_000 })).state;

describe.skipIf(withoutRealTalos !== "")(
  `a real Talos cluster (${withoutRealTalos || "here"})`,
  peers,
  () => {
    let site: RealSite;

    beforeAll(async () => {
      site = await realSite("homelab", "10.5.1", "127.61.1.250", cluster());
    });
    afterAll(() => site[Symbol.asyncDispose]());

    /** What a real client says, with the files as they are now; it must succeed. */
    const asked = async (client: keyof Bystander, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await (await site.bystander())[client](...args);
      expect(code, stderr).toBe(0);
      return stdout;
    };

    test("up makes it, from nodes in maintenance to Ready", { timeout: 900_000 }, async () => {
      expect(await site.said("up", "--yes")).toContain("homelab is up");
    });

    test("a second plan finds nothing to do, and neither does a second up", async () => {
      expect(await site.said("plan")).toContain("no changes");
      expect(await site.said("up", "--yes")).toContain("no changes");
    });

    test("status and verify find it healthy, doctor finds no cause", async () => {
      expect(await site.said("status")).toMatch(/homelab +Ready +3 of 3/);
      // The pods it would try the network with need a busybox, which no module mirror has.
      await site.said("verify", "--quick");
      expect((await site.slipway("doctor")).stdout).not.toMatch(/DOCTOR_\w+/);
    });

    test("a support bundle tells of it, without its keys", async () => {
      await site.said("support-bundle", "-o", "support.tar.gz");
      const text = gunzipSync(await readFile(path.join(site.folder, "support.tar.gz"))).toString("latin1");
      expect(text).toContain(`v${realTalos}`);
      expect(text).not.toMatch(/PRIVATE KEY|LS0tLS1CRUdJTi/);
    });

    test.skipIf(findKubectl() === undefined)("kubectl reads its nodes", async () => {
      const nodes = await asked("kubectl", "get", "nodes", "-o", "wide");
      const [controlPlaneLine = ""] = nodes
        .split("\n")
        .filter((line) => line.startsWith("talos-control-01 "));
      expect(controlPlaneLine).toMatch(/^\S+ +Ready .* 10\.5\.1\.101 /);
      expect(controlPlaneLine).toContain(` v${talosMinorOf(realTalos)?.kubernetes} `);
      expect(controlPlaneLine).toContain(` Talos (v${realTalos}) `);
      expect(nodes).toMatch(/talos-worker-01 +Ready .* 10\.5\.1\.102 /);
      expect(nodes).toMatch(/talos-worker-02 +Ready .* 10\.5\.1\.103 /);
    });

    test.skipIf(findTalosctl() === undefined)(
      "talosctl takes our talosconfig, and etcd's snapshot",
      async () => {
        const on = ["--nodes", controlPlane];
        expect(await asked("talosctl", "version", ...on)).toContain(` v${realTalos}\n`);
        expect(await asked("talosctl", "service", "etcd", ...on)).toMatch(/STATE +Running/);
        expect(await asked("talosctl", "etcd", "members", ...on)).toContain(`https://${controlPlane}:2379`);
        const file = path.join(site.folder, "etcd.snapshot");
        expect(await asked("talosctl", "etcd", "snapshot", file, ...on)).toMatch(
          /snapshot info: hash [0-9a-f]{8}/,
        );
      },
    );

    test("a patch that needs no reboot reaches the nodes in place", async () => {
      await site.describe(cluster("    patches: [{ machine: { nodeLabels: { lab: real } } }]\n"));
      const plan = await site.said("plan");
      expect(plan).toContain("no node reboots");
      await site.said("up", "--yes");
      expect(await site.said("plan")).toContain("no changes");
      if (findKubectl() === undefined) return;
      const labelled = async () => asked("kubectl", "get", "nodes", "-l", "lab=real", "-o", "name");
      await expect.poll(labelled).toBe("node/talos-control-01\nnode/talos-worker-01\nnode/talos-worker-02\n");
    });

    test("down leaves no node", async () => {
      await site.said("down", "--yes", "--with-data");
      await expect
        .poll(() => Promise.all([101, 102, 103].map((last) => probe(`10.5.1.${last}`))))
        .toEqual(["unreachable", "unreachable", "unreachable"]);
    });
  },
);
