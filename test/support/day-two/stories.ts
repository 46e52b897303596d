import { expect } from "vitest";
import { evacuateHost, replaceNode, returnToHost } from "../../../src/operations/index.ts";
import type { Latencies } from "../../../src/sim/index.ts";
import { fleetOf, type RehearsalSite } from "../sim/rehearsal-site.ts";
import { confirm, expectAsAsked, upLeg, type Story } from "./story.ts";

export type { Story as Told } from "./story.ts";

/** What people do to clusters that run: each story is told by the sweeps of kills and of faults. */

const latencies: Partial<Latencies> = {
  installMs: 4_000,
  rebootMs: 4_000,
  bootMs: 4_000,
  leaveMs: 2_000,
  etcdJoinMs: 2_000,
  apiServerMs: 3_000,
  registerMs: 1_000,
  readyMs: 2_000,
  staticPodMs: 1_000,
  staticPodRestartMs: 3_000,
};

const host = (name: string) =>
  `  ${name}: { proxmox: { url: "https://10.8.0.1:8006", node: ${name}, token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }`;

interface Asked {
  controlPlanes?: number;
  workers?: number;
  cluster?: string;
  /** For every machine of a pool. */
  machine?: string;
  worker?: string;
  hosts?: string[];
}

const fleet = ({
  controlPlanes = 3,
  workers = 3,
  cluster = "",
  machine = "",
  worker = "",
  hosts = ["hydra"],
}: Asked) =>
  fleetOf(`version: 1
hosts:
${hosts.map(host).join("\n")}
clusters:
  lab:
    on: [${hosts.join(", ")}]
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: ${controlPlanes}, memory: 2GiB, address: .10, vmid: 2000${machine} }
    workers: { count: ${workers}, memory: 2GiB, address: .20, vmid: 3000${machine}${worker} }
${cluster}`);

const machines = (controlPlanes: number, workers: number): number[] => [
  ...Array.from({ length: controlPlanes }, (_, index) => 2000 + index),
  ...Array.from({ length: workers }, (_, index) => 3000 + index),
];

const kubernetes = (version: string) =>
  fleet({ cluster: `    talos: { version: 1.13.9 }\n    kubernetes: ${version}\n` });

export const kubernetesMinor: Story = {
  title: "Kubernetes 1.35 to 1.36 on 3 + 3",
  fleet: kubernetes("1.35.4"),
  options: { latencies },
  legs: [upLeg("1.36.3", kubernetes("1.36.3"), machines(3, 3))],
};

const k3s = (version: string) =>
  fleet({
    cluster: `    k3s: { version: ${version}, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    rollout: { workers: 2 }
`,
  });

export const k3sMinor: Story = {
  title: "K3s 1.35 to 1.36 on 3 + 3",
  fleet: k3s("1.35.7+k3s1"),
  options: { latencies },
  legs: [upLeg("1.36.3", k3s("1.36.3+k3s1"), machines(3, 3))],
};

const cores = (worker: string, cluster = "") =>
  fleet({ controlPlanes: 1, workers: 1, worker: `, cores: ${worker}`, cluster });
const debian = `    k3s: { version: 1.36.3+k3s1, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
`;

export const restarts: Story = {
  title: "a worker restarts with other cores, Talos",
  fleet: cores("1"),
  options: { latencies },
  legs: [upLeg("2 cores", cores("2"), machines(1, 1))],
};

export const restartsOfK3s: Story = {
  title: "a worker restarts with other cores, K3s",
  fleet: cores("1", debian),
  options: { latencies },
  legs: [upLeg("2 cores", cores("2", debian), machines(1, 1))],
};

const controlPlanes = (count: number) => fleet({ controlPlanes: count, workers: 1 });

export const controlPlanesByCount: Story = {
  title: "control planes 1, 3, 5, 3",
  fleet: controlPlanes(1),
  options: { latencies },
  legs: [3, 5, 3].map((count) => upLeg(`to ${count}`, controlPlanes(count), machines(count, 1))),
};

const workers = (count: number) =>
  fleet({ controlPlanes: 1, workers: count, cluster: "    rollout: { workers: 2 }\n" });

export const workersByCount: Story = {
  title: "workers 3, 6, 2",
  fleet: workers(3),
  options: { latencies },
  legs: [6, 2].map((count) => upLeg(`to ${count}`, workers(count), machines(1, count))),
};

const small = fleet({ workers: 1 });

export const deadControlPlane: Story = {
  title: "cp-2 is dead",
  fleet: small,
  options: { latencies },
  legs: [
    {
      title: "replace cp-2",
      async before(site) {
        await site.stopByHand(2001);
        await site.pass(60_000);
      },
      run: (world) => replaceNode({ fleet: small, node: "cp-2", confirm }, world),
      after: (site) => expectAsAsked(site, small, machines(3, 1), "replaced"),
    },
  ],
};

const withData = (memory: number) =>
  fleet({
    controlPlanes: 1,
    workers: 2,
    worker: `, dataDisks: [{ size: 10GiB }], nodes: { worker-1: { memory: ${memory}GiB } }`,
  });

/** The data disk of worker-1, wherever it lies by now. */
const dataOf = (site: RehearsalSite) => {
  const { vms, volumes } = site.rehearsal.datacenter.proxmox.state();
  const [volume] = String(vms["3000"]?.config["scsi1"]).split(",");
  return volumes.find(({ storage, name }) => `${storage}:${name}` === volume);
};

export const workerFromBackup: Story = {
  title: "worker-1 is backed up, changed, and made again from its backup",
  fleet: withData(2),
  options: { latencies: { ...latencies, backupMs: 10_000 } },
  legs: [
    upLeg("backed up and changed", withData(3), [2000, 3000, 3001], { backupStorage: "local" }),
    {
      title: "made again",
      before(site) {
        const disk = dataOf(site);
        if (disk) disk.data = { written: "after the backup" };
        return Promise.resolve();
      },
      run: (world) => replaceNode({ fleet: withData(3), node: "worker-1", fromBackup: {}, confirm }, world),
      async after(site) {
        await expectAsAsked(site, withData(3), [2000, 3000, 3001], "made again");
        expect(dataOf(site)?.data).toEqual({ written: "after the backup" });
      },
    },
  ],
};

const three = ["hydra", "lyra", "orion"];
const spread = fleet({
  hosts: three,
  machine: ", hardware: { start: { onBoot: false } }",
  worker: ", nodes: { worker-3: { on: lyra } }",
});
const power = async (site: RehearsalSite, state: "on" | "off"): Promise<void> => {
  await site.rehearsal.datacenter.proxmox.setNode("lyra", state);
  await site.pass(state === "on" ? 5_000 : 120_000);
};

export const lostHost: Story = {
  title: "a host is lost and comes back",
  fleet: spread,
  options: { latencies },
  legs: [
    {
      title: "lost",
      before: (site) => power(site, "off"),
      run: (world) => upLeg("", spread, [], { lostHosts: ["lyra"] }).run(world),
      after: () => Promise.resolve(),
    },
    upLeg("back", spread, [2000, 2002, 2003, 3000, 3003, 3004], { before: (site) => power(site, "on") }),
  ],
};

const moving = fleet({ hosts: three });

export const evacuation: Story = {
  title: "one host of three is evacuated and comes back",
  fleet: moving,
  options: { latencies: { ...latencies, importMs: 4_000, startMs: 1_000 } },
  legs: [evacuateHost, returnToHost].map((verb) => ({
    title: verb.name,
    run: (world) => verb({ fleet: moving, host: "hydra", confirm }, world),
    after: (site) => expectAsAsked(site, moving, machines(3, 3), verb.name),
  })),
};
