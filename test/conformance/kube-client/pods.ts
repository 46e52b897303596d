import { expect, test } from "vitest";
import { realClock } from "../../../src/lib/index.ts";
import {
  drainNode,
  checkGone,
  checkReady,
  planDrain,
  refOf,
  setCordon,
} from "../../../src/clients/kube/index.ts";
import {
  agentDeployment,
  budget,
  configMap,
  deadWebhook,
  eventually,
  madeNode,
  newNamespace,
  pod,
  until,
} from "../../support/kube/objects.ts";
import type { KubeSuite } from "../../support/kube/targets.ts";

/** Eviction, drains, and what keeps pods from coming. */
export function podCases(suite: KubeSuite): void {
  test("eviction keeps a disruption budget, and a dry run of it takes nothing away", async () => {
    const namespace = await newNamespace(suite.kube, "evict");
    await madeNode(suite.kube, "evict-1");
    await suite.kube.create(budget(namespace, "web", 1));
    const pods = [
      await pod(suite.kube, namespace, "web-1", "evict-1"),
      await pod(suite.kube, namespace, "web-2", "evict-1"),
    ];
    const [first, second] = pods.map(({ metadata }) => ({ namespace, name: metadata.name }));
    if (!first || !second) throw new Error("no pods");
    await eventually(() => suite.kube.evict(first, { isDryRun: true }));
    expect(await suite.kube.get({ apiVersion: "v1", kind: "Pod", ...first })).toBeDefined();
    await suite.kube.evict(first);
    await until(() => checkGone(suite.kube, { apiVersion: "v1", kind: "Pod", ...first }));
    await expect(suite.kube.evict(second)).rejects.toMatchObject({
      code: "KUBE_EVICTION_HELD",
      transient: true,
      what: `Cannot evict Pod "${namespace}/web-2" in Kubernetes`,
      why: expect.stringContaining("budget") as string,
    });
    await expect(suite.kube.evict({ namespace, name: "nobody" })).rejects.toMatchObject({
      code: "KUBE_NOT_FOUND",
    });
    await suite.kube.create(budget(namespace, "web-too", 0));
    await expect(suite.kube.evict(second)).rejects.toMatchObject({
      code: "KUBE_BUDGETS_OVERLAP",
      transient: false,
    });
    // Of a pod without a budget: the real server books a disruption before it looks whose it would be.
    const { metadata } = await pod(suite.kube, namespace, "other", "evict-1", { app: "other" });
    const other = { namespace, name: metadata.name };
    await expect(
      suite.kube.evict({ ...other, uid: "00000000-0000-4000-8000-000000000000" }),
    ).rejects.toMatchObject({ code: "KUBE_CONFLICT" });
    await suite.kube.evict({ ...other, uid: metadata.uid ?? "" });
  });

  test("a drain says first what it would do, keeps budgets until its deadline, and then empties the node", async () => {
    const namespace = await newNamespace(suite.kube, "drain");
    const node = "drain-1";
    await madeNode(suite.kube, node);
    await suite.kube.create(budget(namespace, "web", 1));
    const managed = { isManaged: true };
    await pod(suite.kube, namespace, "web-1", node, managed);
    await pod(suite.kube, namespace, "scratch", node, { ...managed, app: "other", hasScratch: true });
    await pod(suite.kube, namespace, "lonely", node, { app: "other" });
    await pod(suite.kube, namespace, "static", node, { app: "other", isMirror: true });
    const plan = await eventually(async () => {
      const found = await planDrain(suite.kube, node);
      expect(found.held).toMatchObject([{ pod: `${namespace}/web-1` }]);
      expect(found.held[0]?.why).toMatch(/needs 1 healthy/);
      return found;
    });
    expect(plan.leave.map((word) => word.pod)).toEqual([`${namespace}/static`]);
    expect(plan.refuse.map((word) => word.pod).toSorted()).toEqual([
      `${namespace}/lonely`,
      `${namespace}/scratch`,
    ]);
    const clock = realClock;
    await expect(drainNode(suite.kube, node, { clock, deadlineMs: 1_000 })).rejects.toMatchObject({
      code: "KUBE_DRAIN_REFUSED",
      why: expect.stringContaining(`${namespace}/lonely: nothing would make it again`) as string,
    });
    const allowed = { clock, mayLoseScratch: true, mayLoseUnmanaged: true };
    await expect(drainNode(suite.kube, node, { ...allowed, deadlineMs: 200 })).rejects.toMatchObject({
      code: "KUBE_DRAIN_BLOCKED",
      why: expect.stringMatching(new RegExp(`${namespace}/web-1: .*budget web`)) as string,
    });
    await suite.kube.delete({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace, name: "web" });
    const gone = await eventually(() => drainNode(suite.kube, node, { ...allowed, deadlineMs: 5_000 }));
    expect(gone).toEqual([`${namespace}/web-1`]);
    const left = await suite.kube.list({ apiVersion: "v1", kind: "Pod", fields: `spec.nodeName=${node}` });
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(["static"]);
    const [drained] = (await suite.kube.nodes()).filter(({ metadata }) => metadata.name === node);
    expect(drained?.spec?.unschedulable).toBe(true);
    const open = await setCordon(suite.kube, node, false);
    expect(open.spec?.unschedulable).toBeUndefined();
  });

  test("a workload whose pods Pod Security refuses says so, though there is no pod to look at", async () => {
    const namespace = await newNamespace(suite.kube, "secure", "baseline");
    await expect(pod(suite.kube, namespace, "agent", "nowhere")).rejects.toMatchObject({
      code: "KUBE_POD_SECURITY",
      transient: false,
    });
    const agent = agentDeployment(namespace, "agent");
    await suite.kube.apply(agent);
    await eventually(async () => {
      expect(await checkReady(suite.kube, refOf(agent))).toMatchObject({
        done: false,
        cause: expect.stringMatching(
          /agent: no pod could be made: FailedCreate: .*violates PodSecurity/,
        ) as string,
      });
    });
    await suite.kube.delete(refOf(agent));
  });

  test("a webhook that does not answer is named as what is in the way", async () => {
    const namespace = await newNamespace(suite.kube, "gate");
    const webhook = deadWebhook(`gate-${namespace}`, namespace);
    await suite.kube.apply(webhook);
    await eventually(() =>
      expect(suite.kube.create({ ...configMap(namespace, "late", {}) })).rejects.toMatchObject({
        code: "KUBE_WEBHOOK_DOWN",
        transient: true,
        why: expect.stringContaining("gate.example.com") as string,
      }),
    );
    await suite.kube.delete(refOf(webhook));
  });
}
