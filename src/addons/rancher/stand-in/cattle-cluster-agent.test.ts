import { expect, test } from "vitest";
import { digText } from "../../../sim/kube/index.ts";
import { find, sleep, until } from "../../../../test/support/sim-kube-cluster.ts";
import {
  agent,
  conditionsOf,
  hostname,
  managed,
  pair,
  readyManager,
  register,
  wantedRef,
  type Pair,
} from "../../../../test/support/sim/sim-rancher.ts";

const isActive = ({ manager }: Pair, id: string) => {
  const { Ready, Connected } = conditionsOf(managed(manager, id));
  return Ready === "True" && Connected === "True";
};

test("an agent that connects makes its cluster active, and leaves nothing behind when that is deleted", async () => {
  const site = pair();
  const { manager, apps } = site;
  await readyManager(manager);
  const id = await register(site);
  await until(() => isActive(site, id));
  expect(manager.get(wantedRef)["status"]).toMatchObject({ ready: true, clusterName: id });
  expect(agent(apps).log).toContain(`INFO: ${hostname} resolves to 10.1.0.1`);
  expect(find(apps, "Deployment", "fleet-agent", "cattle-fleet-system", "apps/v1")).toBeDefined();
  manager.delete(wantedRef);
  await until(() => manager.find(wantedRef) === undefined);
  expect(managed(manager, id)).toBeUndefined();
  expect(find(apps, "Namespace", "cattle-system")).toBeUndefined();
  expect(apps.list({ apiVersion: "batch/v1", kind: "Job", namespace: "default" })[0]?.metadata.name).toMatch(
    /^cattle-cleanup-/,
  );
});

test("an agent that does not know the name fails over and over, and gets through when it does", async () => {
  const site = pair([{ kind: "name-unknown", workload: "cattle-cluster-agent-*" }]);
  await readyManager(site.manager);
  const id = await register(site);
  await until(() => agent(site.apps).reason === "CrashLoopBackOff");
  expect(agent(site.apps).log).toContain(
    `ERROR: https://${hostname}/ping is not accessible (Could not resolve host: ${hostname})`,
  );
  expect(conditionsOf(managed(site.manager, id))).toMatchObject({ Ready: "False", Connected: "False" });
  site.faults.clear();
  await until(() => isActive(site, id));
});

test("an agent that finds another authority than it was told says both checksums", async () => {
  const site = pair([{ kind: "authority-differs" }]);
  await readyManager(site.manager);
  await register(site);
  await until(() => agent(site.apps).reason === "CrashLoopBackOff");
  expect(agent(site.apps).log).toMatch(
    /ERROR: Configured cacerts checksum \([0-9a-f]{64}\) does not match given --ca-checksum \([0-9a-f]{64}\)/,
  );
});

test("without an authority to pin, a strict agent trusts nobody, and one that trusts its system connects", async () => {
  for (const agentTLSMode of ["strict", "system-store"]) {
    const site = pair();
    await readyManager(site.manager, { values: { privateCA: false, agentTLSMode } });
    const id = await register(site);
    const isRefused = () => agent(site.apps).log.includes("x509: certificate signed by unknown authority");
    await until(() => isRefused() || isActive(site, id));
    expect(isRefused()).toBe(agentTLSMode === "strict");
  }
});

test("a cluster that connects and never becomes ready says what fails", async () => {
  const site = pair([
    { kind: "registration-stuck", workload: "fleet-default/apps", message: "no such luck" },
  ]);
  await readyManager(site.manager);
  const id = await register(site);
  await until(() => JSON.stringify(managed(site.manager, id)?.["status"]).includes("no such luck"));
  expect(conditionsOf(managed(site.manager, id))).toMatchObject({ Ready: "False", Connected: "True" });
});

test("a cluster that was deleted stays when its agent no longer answers, until its finalizers are taken", async () => {
  const site = pair();
  const { manager, apps } = site;
  await readyManager(manager);
  const id = await register(site);
  await until(() => isActive(site, id));
  apps.delete({
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace: "cattle-system",
    name: "cattle-cluster-agent",
  });
  await until(() => conditionsOf(managed(manager, id))["Connected"] === "False");
  manager.delete(wantedRef);
  await until(() => managed(manager, id)?.metadata.deletionTimestamp !== undefined);
  await sleep(30_000);
  expect(managed(manager, id)?.metadata.finalizers).toContain(
    "controller.cattle.io/cluster-agent-controller-cleanup",
  );
  for (const ref of [wantedRef, { apiVersion: "management.cattle.io/v3", kind: "Cluster", name: id }])
    manager.patch(ref, "merge", { metadata: { finalizers: null } });
  expect(manager.find(wantedRef)).toBeUndefined();
  expect(digText(managed(manager, id), "metadata", "name")).toBe("");
});

test("a removal that is stuck keeps both objects though the agent answers", async () => {
  const site = pair([{ kind: "removal-stuck", workload: "fleet-default/apps" }]);
  const { manager, managerFaults } = site;
  await readyManager(manager);
  const id = await register(site);
  await until(() => isActive(site, id));
  manager.delete(wantedRef);
  await until(() => managed(manager, id)?.metadata.deletionTimestamp !== undefined);
  await sleep(30_000);
  expect(manager.get(wantedRef).metadata.finalizers).toEqual([
    "wrangler.cattle.io/provisioning-cluster-remove",
  ]);
  managerFaults.clear();
  await until(() => manager.find(wantedRef) === undefined);
});
