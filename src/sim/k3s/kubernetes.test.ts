import { expect, test } from "vitest";
import { kubeVipManifest } from "../../distros/k3s/files/kube-vip.ts";
import { k3sProgram } from "./index.ts";
import { paths } from "./paths.ts";
import {
  conditionOf,
  configure,
  founded,
  joined,
  kubeAt,
  lab,
  password,
  testHost,
  things,
  type Lab,
} from "../../../test/support/sim-k3s-hosts.ts";

const named = (site: Lab, kind: string): string[] =>
  things(site, kind).map((thing) => thing.metadata.name ?? "");

test("what K3s brings along comes up by itself, and Traefik later by its chart", async () => {
  const site = lab();
  const { host } = await founded(site);
  const isAvailable = (name: string) =>
    things(site, "Deployment")
      .find((thing) => thing.metadata.name === name)
      ?.status?.conditions?.some(({ type, status }) => type === "Available" && status === "True") === true;
  await site.until(() =>
    ["coredns", "local-path-provisioner", "metrics-server", "traefik"].every(isAvailable),
  );
  expect(named(site, "Job").toSorted()).toEqual(["helm-install-traefik", "helm-install-traefik-crd"]);
  expect(named(site, "DaemonSet")).toEqual([expect.stringMatching(/^svclb-traefik-/)]);
  const door = things(site, "Service").find((thing) => thing.metadata.name === "traefik");
  expect(JSON.stringify(door?.status)).toContain('"ip":"10.0.0.1"');

  const kube = kubeAt(site, host);
  const claim = { name: "data", namespace: "default" };
  await kube.create({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: claim },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await kube.create({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "writer", namespace: "default" } },
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          ...{ name: "run", image: "busybox:1.37", volumeMounts: [{ name: "data", mountPath: "/data" }] },
          command: ["sh", "-ec", "echo kept > /data/file; nslookup kubernetes.default; cat /data/file"],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await site.until(() =>
    JSON.stringify(things(site, "Pod").find((thing) => thing.metadata.name === "writer")).includes(
      '"phase":"Succeeded"',
    ),
  );
});

test("disabled parts are not there, and without flannel nodes wait for a network", async () => {
  const site = lab();
  const { host } = await founded(
    site,
    `token: ${password}\nflannel-backend: none\ndisable: [traefik, servicelb, metrics-server, local-storage]\n`,
  );
  await site.until(
    () => conditionOf(site, "cp-1", "Ready")?.message.includes("cni plugin not initialized") === true,
  );
  expect(named(site, "Deployment")).toEqual(["coredns"]);
  expect(named(site, "HelmChart")).toEqual([]);
  const labels = { app: "cilium" };
  await kubeAt(site, host).create({
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "cilium", namespace: "kube-system" } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...{ hostNetwork: true, tolerations: [{ operator: "Exists" }] },
          containers: [{ name: "agent", image: "quay.io/cilium/cilium:v1.19.0" }],
          volumes: [{ name: "cni", hostPath: { path: "/etc/cni/net.d" } }],
        },
      },
    },
  });
  await site.until(() => conditionOf(site, "cp-1", "Ready")?.status === "True");
});

test("the shared address answers on one server and moves when that goes", async () => {
  const site = lab();
  const settings = `token: ${password}\nagent-token: agent\ntls-san: [10.0.0.100]\n`;
  const first = configure(testHost(site, "cp-1", "10.0.0.1"), settings);
  first.files.write(`${paths.manifests}/kube-vip.yaml`, kubeVipManifest({ vip: "10.0.0.100" }), 0o600);
  const runs = new Map([["cp-1", first.start()]]);
  await runs.get("cp-1")?.ready();
  for (const number of [2, 3]) runs.set(`cp-${number}`, (await joined(site, number, settings)).run);
  const there = Object.assign(Object.create(first) as typeof first, { addresses: ["10.0.0.100"] });
  const vip = kubeAt(site, there);
  const holder = (): string =>
    things(site, "Lease").find((thing) => thing.metadata.name === "plndr-cp-lock")?.spec?.holderIdentity ??
    "";
  await site.until(() => holder() === "cp-1" && hasKubeVip(site, "cp-2") && hasKubeVip(site, "cp-3"));
  await runs.get("cp-1")?.stop();
  await site.until(() => holder() !== "cp-1");
  expect(await vip.isReady()).toBe(true);
  // Both others saw it free at the same moment, and only one of them may have it.
  await first.start().ready();
  const second = holder();
  await runs.get(second)?.stop();
  await site.until(() => holder() !== second);
  expect(await vip.isReady()).toBe(true);
});

const hasKubeVip = (site: Lab, node: string): boolean =>
  things(site, "Pod").some(
    ({ metadata, spec, status }) =>
      metadata.name?.startsWith("kube-vip-") === true &&
      spec?.nodeName === node &&
      status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true,
  );

test("a simulation that ends and begins again finds its clusters as they were", async () => {
  const site = lab();
  const { host, run } = await founded(site);
  await site.until(() => conditionOf(site, "cp-1", "Ready")?.status === "True");
  const saved = JSON.parse(JSON.stringify(site.program.state())) as ReturnType<Lab["program"]["state"]>;
  const taken = site.program.run?.(host, ["etcd-snapshot", "save", "--name", "before"]);
  expect(taken?.stderr).toMatch(/Snapshot before-cp-1-\d+ saved/);
  expect(site.program.run?.(host, ["etcd-snapshot", "ls", "--output=json"]).stdout).toContain("before-cp-1-");
  await run.stop();
  expect(site.program.run?.(host, ["etcd-snapshot", "save"]).code).toBe(1);
  site.program = k3sProgram({ saved });
  await host.start().ready();
  expect(site.program.state()).toHaveLength(1);
  expect(named(site, "Node")).toEqual(["cp-1"]);
});
