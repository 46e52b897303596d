import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SshConnection } from "../../src/clients/ssh/index.ts";
import { guestSite, type GuestSite } from "../support/libvirt/guest-site.ts";
import { k3sImage, k3sVersion, withoutK3sGuests, writeRelease } from "../support/k3s/guests.ts";
import { findKubectl, runProgram } from "../support/kube/kubectl.ts";
import { pauseImage } from "../support/k3s/pause-image.ts";
import { peers } from "../support/peers.ts";

const cluster = "slipway-test-k3s";
const user = "ops";
const upMs = 2_400_000;
const nodes = [
  { name: "cp-1", address: "10.213.31.11", unit: "k3s" },
  { name: "worker-1", address: "10.213.31.21", unit: "k3s-agent" },
];

/** One server and one agent. Parts of K3s that are pods are left out: no image can be pulled here. */
const clusterFile = (): string =>
  JSON.stringify({
    version: 1,
    hosts: { desk: { libvirt: { pool: cluster } } },
    clusters: {
      [cluster]: {
        k3s: {
          ...{ version: k3sVersion, artifacts: { folder: "./release" }, images: true },
          ...{ user, keys: ["./me.pub"] },
          disable: ["coredns", "servicelb", "traefik", "local-storage", "metrics-server"],
          serverFlags: {
            ...{ "disable-helm-controller": true, "disable-network-policy": true },
            "etcd-disable-snapshots": true,
            // Emulated, an answer may take longer than a leader may keep silent, and K3s ends when it is none any more.
            "kube-controller-manager-arg": ["leader-elect=false"],
            "kube-cloud-controller-manager-arg": ["leader-elect=false"],
            "kube-scheduler-arg": ["leader-elect=false"],
          },
          // There is more memory than time.
          files: nodes.map(({ unit }) => ({
            path: `/etc/systemd/system/${unit}.service.env`,
            content: "GOGC=400\n",
          })),
        },
        image: { file: k3sImage },
        // The plainest one is emulated fastest.
        hardware: { cpu: "qemu64" },
        network: { cidr: "10.213.31.0/24", libvirt: { create: "isolated" } },
        controlPlanes: { count: 1, cores: 2, memory: "2GiB", disk: "10GiB", address: ".11" },
        workers: { count: 1, cores: 1, memory: "2GiB", disk: "10GiB", address: ".21" },
      },
    },
  });

/** In the network of its node: the plugin of Flannel that would give it one of its own cannot be had here. */
const pod = {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "idle" } },
  spec: {
    ...{ nodeName: "worker-1", hostNetwork: true, automountServiceAccountToken: false },
    containers: [{ name: "idle", image: pauseImage, imagePullPolicy: "Never" }],
  },
};

interface NodeList {
  items: {
    metadata: { name: string };
    status: {
      addresses: { type: string; address: string }[];
      conditions: { type: string; status: string }[];
      nodeInfo: { kubeletVersion: string };
    };
  }[];
}

/** The program as typed; real cloud-init, sshd, systemd and K3s, with kubelet and containerd, in real machines. */
describe.skipIf(withoutK3sGuests !== "")(
  `K3s on machines of libvirt (${withoutK3sGuests || "here"})`,
  peers,
  () => {
    let site: GuestSite;
    let before: string[] = [];
    const guests: SshConnection[] = [];

    beforeAll(async () => {
      site = await guestSite(cluster);
      before = site.traces();
      writeRelease(path.join(site.cwd, "release"));
      site.write("slipway.yaml", clusterFile());
      const { code, text, tookMs } = await site.run("up", "--yes", "--plain");
      expect(code, text).toBe(0);
      say(`up with ${nodes.length} nodes took ${Math.round(tookMs / 1000)} s`);
      for (const { address } of nodes) guests.push(await site.login(cluster, user, address));
    }, upMs);

    afterAll(async () => {
      for (const ssh of guests) ssh.close();
      // There is none when its making failed.
      await (site as GuestSite | undefined)?.cleanUp();
    });

    const kubectl = async (args: string[], input = ""): Promise<string> => {
      const file = path.join(site.cwd, ".slipway", cluster, "kubeconfig");
      const { code, stdout, stderr } = await runProgram(
        findKubectl() ?? "",
        ["--kubeconfig", file, ...args],
        {
          ...{ env: { HOME: site.cwd }, input },
        },
      );
      if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stderr}`);
      return stdout;
    };

    test("kubectl with the written kubeconfig sees both nodes Ready", async () => {
      say(await kubectl(["get", "nodes", "-o", "wide"]));
      const { items } = JSON.parse(await kubectl(["get", "nodes", "-o", "json"])) as NodeList;
      const seen = items.map(({ metadata, status }) => ({
        name: metadata.name,
        version: status.nodeInfo.kubeletVersion,
        address: status.addresses.find(({ type }) => type === "InternalIP")?.address,
        ready: status.conditions.find(({ type }) => type === "Ready")?.status,
      }));
      const wanted = nodes.map(({ name, address }) => ({
        ...{ name, address, version: `v${k3sVersion}`, ready: "True" },
      }));
      expect(seen.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(wanted);
    });

    test.each(nodes.map((node, index) => ({ ...node, index })))(
      "$name runs its unit, its settings only root can read, and its mark is gone",
      async ({ unit, index }) => {
        const said = async (...command: string[]): Promise<string> => {
          const { stdout } = await (guests[index] as SshConnection).run(["sudo", "-n", ...command]);
          return stdout.trimEnd();
        };
        expect(await said("systemctl", "is-active", unit)).toBe("active");
        expect(await said("systemctl", "is-enabled", unit)).toBe("enabled");
        expect(await said("stat", "-c", "%a", "/etc/rancher/k3s/config.yaml")).toBe("600");
        expect(await said("ls", "-A", "/etc/rancher/k3s")).not.toContain(".slipway-restart");
      },
    );

    test("a pod runs on the agent, from an image that was brought along", async () => {
      await kubectl(["create", "-f", "-"], JSON.stringify(pod));
      const phase = () => kubectl(["get", "pod", "idle", "-o", "jsonpath={.status.phase}"]);
      await expect.poll(phase, { timeout: 240_000, interval: 5_000 }).toBe("Running");
      say(await kubectl(["get", "pods", "-o", "wide"]));
    });

    test("a second up finds nothing to do", async () => {
      const { code, text, tookMs } = await site.run("up", "--yes", "--plain");
      expect([code, text]).toEqual([0, expect.stringContaining("no changes")]);
      say(`the second up took ${Math.round(tookMs / 1000)} s`);
    });

    test("down leaves pool, networks, machines and files exactly as before", async () => {
      for (const ssh of guests) ssh.close();
      const { code, text } = await site.run("down", "--yes", "--plain");
      expect(code, text).toBe(0);
      expect(site.traces()).toEqual(before);
    });
  },
);

const say = (text: string): void => void process.stdout.write(`${text.trimEnd()}\n`);
