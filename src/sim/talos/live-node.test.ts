import { expect, test } from "vitest";
import { probeTalos } from "../../clients/talos/index.ts";
import { linkDocuments } from "../../distros/talos/config/documents/link-documents.ts";
import { contractOf } from "../../distros/talos/config/contract.ts";
import { realClock, writeYaml } from "../../lib/index.ts";
import { bringUp, talosLab, until, untilProbe } from "../../../test/support/talos/lab.ts";

test("a node waits in maintenance mode, takes a config and serves its cluster's certificate", async () => {
  await using lab = await talosLab({ endpoint: "https://127.40.1.2:6443" });
  lab.start("cp-1", "127.40.1.2");
  await untilProbe(lab, "127.40.1.2", "maintenance");
  const maintenance = lab.connectMaintenance("127.40.1.2");
  expect(await maintenance.version()).toEqual({ version: "1.13.9", platform: "nocloud", arch: "amd64" });
  expect(await maintenance.machineStatus()).toMatchObject({ stage: "maintenance" });
  await maintenance.applyConfig(
    lab.configFor({ name: "cp-1", address: "127.40.1.2", role: "control-plane" }),
  );

  await untilProbe(lab, "127.40.1.2", "ours");
  const client = lab.connect("127.40.1.2");
  await until(async () =>
    (await client.services()).some(({ id, state }) => id === "etcd" && state === "Preparing"),
  );
  await client.bootstrap();
  await until(async () => (await client.machineStatus())?.isReady === true);
  await expect(client.bootstrap()).rejects.toMatchObject({ code: "TALOS_ALREADY_EXISTS" });
  expect(await client.etcdMembers()).toMatchObject([{ hostname: "cp-1", isLearner: false }]);
  expect(lab.guests.bootstraps()).toEqual({ lab: 1 });
  expect(await probeTalos({ clock: realClock, address: "127.40.1.2", dial: lab.network.dial })).toEqual({
    state: "other-cluster",
  });
});

test("a cluster of three control planes and a worker comes up and knows all its members", async () => {
  await using lab = await talosLab({ endpoint: "https://127.40.2.100:6443" });
  const nodes = [
    { name: "cp-1", address: "127.40.2.2", role: "control-plane" },
    { name: "cp-2", address: "127.40.2.3", role: "control-plane" },
    { name: "cp-3", address: "127.40.2.4", role: "control-plane" },
    { name: "worker-1", address: "127.40.2.5", role: "worker" },
  ] as const;
  await bringUp(lab, [...nodes]);
  const client = lab.connect("127.40.2.2");
  const members = await client.etcdMembers();
  expect(members.map((member) => member.hostname).toSorted()).toEqual(["cp-1", "cp-2", "cp-3"]);
  expect(members.every((member) => !member.isLearner)).toBe(true);
  expect((await client.members()).map((member) => member.hostname).toSorted()).toEqual([
    "cp-1",
    "cp-2",
    "cp-3",
    "worker-1",
  ]);
  expect(await client.kubeconfig()).toContain("server: https://127.40.2.100:6443");
});

test("a config applied to a running node changes its Kubernetes node without a reboot", async () => {
  await using lab = await talosLab({ endpoint: "https://127.40.3.2:6443" });
  await bringUp(lab, [{ name: "cp-1", address: "127.40.3.2", role: "control-plane" }]);
  const client = lab.connect("127.40.3.2");
  const labels = { zone: "a" };
  const config = lab.configFor({ name: "cp-1", address: "127.40.3.2", role: "control-plane", labels });
  expect(await client.applyConfig(config, { isDryRun: true })).toMatchObject({ mode: "no-reboot" });
  expect(await client.applyConfig(config)).toMatchObject({ mode: "no-reboot" });
  const kind = { namespace: "k8s", type: "NodeStatuses.kubernetes.talos.dev" };
  const status = await client.getResource(kind, "cp-1");
  expect(status?.spec).toMatchObject({ nodeReady: true, labels });
  expect(await client.machineConfig()).toBe(config);
});

test("a node in a container, whose link has no permanent address, gets the addresses of its config", async () => {
  const [seeded, configured] = ["127.40.9.2", "127.40.9.3"];
  await using lab = await talosLab({ endpoint: `https://${seeded}:6443` });
  const mac = "02:00:7f:28:09:02";
  lab.start("cp-1", seeded, { nics: [{ mac, bridge: "br0", kind: "veth" }] });
  await untilProbe(lab, seeded, "maintenance");
  const network = { links: [{ mac, addresses: [`${configured}/24`] }] };
  const documents = linkDocuments({ network, role: "control-plane" } as never, contractOf("1.13"));
  const config = [
    lab.configFor({ name: "cp-1", address: seeded, role: "control-plane" }),
    ...documents.map((each) => writeYaml(each)),
  ];
  await lab.connectMaintenance(seeded).applyConfig(config.join("---\n"));
  await untilProbe(lab, configured, "ours");
  expect(await lab.connect(configured).links()).toMatchObject([
    { name: "eth0", mac, permanentMac: "", kind: "veth" },
    { name: "lo" },
  ]);
});
