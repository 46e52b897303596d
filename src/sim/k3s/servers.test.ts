import { expect, test } from "vitest";
import { reasonIn } from "../../distros/k3s/journal/journal.ts";
import {
  conditionOf,
  configure,
  founded,
  joined,
  kubeAt,
  lab,
  lastLine,
  password,
  testHost,
  things,
  tokenOn,
} from "../../../test/support/sim-k3s-hosts.ts";

test("a first server founds a cluster: token, then kubeconfig, then ready", async () => {
  const site = lab();
  const { host, run } = await founded(site, `token: ${password}\n`);
  const at = (text: string) => host.journal.findIndex((line) => line.includes(text));
  const order = [
    "Starting k3s v1.36.3+k3s1 (",
    "Managed etcd cluster initializing",
    "Starting etcd for new cluster, cluster-reset=false",
    "Server node token is available at",
    "Agent node token is available at",
    "Wrote kubeconfig /etc/rancher/k3s/k3s.yaml",
    "etcd data store connection OK",
    "Kube API server is now running",
    "ETCD server is now running",
    "k3s is up and running",
  ];
  expect(order.map(at)).not.toContain(-1);
  expect(order.map(at)).toEqual(order.map(at).toSorted((left, right) => left - right));
  expect(tokenOn(host)).toMatch(new RegExp(`^K10[0-9a-f]{64}::server:${password}$`));
  expect(site.program.state()[0]?.members).toMatchObject([{ node: "cp-1", isLearner: false }]);
  await site.until(() => conditionOf(site, "cp-1", "EtcdIsVoter")?.reason === "MemberNotLearner");
  await site.until(() => conditionOf(site, "cp-1", "Ready")?.status === "True");
  expect(await run.stop()).toBe(0);
  expect(site.program.run?.(host, ["--version"]).stdout).toMatch(
    /^k3s version v1\.36\.3\+k3s1 \([0-9a-f]{8}\)\ngo version go\S+\n$/,
  );
});

test("servers join one after another, first as learners, with the token pinned to the authority", async () => {
  const site = lab();
  const first = await founded(site);
  const settings = `token: ${tokenOn(first.host)}\nagent-token: agent-${password}\n`;
  const [second, third] = [2, 3].map((number) => {
    const host = testHost(site, `cp-${number}`, `10.0.0.${number}`);
    configure(host, settings, { join: "10.0.0.1" });
    return { host, run: host.start() };
  });
  await Promise.all([second?.run.ready(), third?.run.ready()]);
  expect(first.host.journal.join("\n")).toMatch(/msg="Promoted learner cp-[23]-[0-9a-f]{8}"/);
  expect(site.program.state()[0]?.members.map((member) => member.isLearner)).toEqual([false, false, false]);
  for (const name of ["cp-1", "cp-2", "cp-3"])
    await site.until(() => conditionOf(site, name, "EtcdIsVoter")?.status === "True");
  expect(site.program.state()).toHaveLength(1);
});

test("a database survives its server; without a majority the API is not ready", async () => {
  const site = lab();
  const first = await founded(site);
  const second = await joined(site, 2, `token: ${tokenOn(first.host)}\nagent-token: agent-${password}\n`);
  await first.run.stop();
  await site.until(() => conditionOf(site, "cp-1", "Ready")?.status === "Unknown");
  await second.run.stop();
  const again = second.host.start();
  await site.until(() => lastLine(second.host).includes("Failed to test data store connection"));
  expect(again.isReady()).toBe(false);
  const firstAgain = first.host.start();
  await Promise.all([again.ready(), firstAgain.ready()]);
  expect(first.host.journal.join("\n")).toContain("Starting etcd for existing cluster member");
  await site.until(() => conditionOf(site, "cp-1", "Ready")?.status === "True");
  expect(site.program.state()).toHaveLength(1);
});

test("a first server with a new disk founds a second cluster in founding form, and joins the old one in joining form", async () => {
  const site = lab();
  const first = await founded(site);
  const settings = `token: ${tokenOn(first.host)}\nagent-token: agent-${password}\n`;
  const second = await joined(site, 2, settings);
  await joined(site, 3, settings);
  await first.run.stop();

  first.host.wipe();
  configure(first.host, settings);
  const stray = first.host.start();
  await stray.ready();
  expect(site.program.state().map((cluster) => cluster.members.length)).toEqual([3, 1]);
  await stray.stop();

  first.host.wipe();
  configure(first.host, settings, { join: "10.0.0.2" });
  const refused = first.host.start();
  expect(await refused.ended()).toBe(1);
  expect(lastLine(first.host)).toContain(
    "etcd cluster join failed: duplicate node name found, please use a unique name for this node",
  );
  expect(reasonIn(first.host.journal)?.code).toBe("K3S_MEMBER_DUPLICATE");

  await kubeAt(site, second.host).deleteNode("cp-1");
  await site.until(() => things(site, "Node").every((thing) => thing.metadata.name !== "cp-1"));
  await site.until(() =>
    things(site, "Secret").every((thing) => thing.metadata.name !== "cp-1.node-password.k3s"),
  );
  expect(site.program.state()[0]?.members.map((member) => member.node)).toEqual(["cp-2", "cp-3"]);
  await first.host.start().ready();
  expect(site.program.state()[0]?.members.map((member) => member.node)).toEqual(["cp-2", "cp-3", "cp-1"]);
  await site.until(() => conditionOf(site, "cp-1", "EtcdIsVoter")?.status === "True");
});
