import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateIdentity } from "age-encryption";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { connectKube, type KubeObject } from "../../src/clients/kube/index.ts";
import { controllerRules } from "../../src/addons/slipway/manifests.ts";
import { apiVersion } from "../../src/controller/index.ts";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import { documentsFor, documentsName, hostsWithKey } from "../support/controller/documents.ts";
import {
  clusterObject,
  hostsObject,
  namespace,
  type StartedController,
} from "../support/controller/fleet-site.ts";
import {
  controllerUser,
  grant,
  oldRuns,
  questionOf,
  rulesWithout,
  shippedRights,
  usedRights,
} from "../support/controller/rights.ts";
import { realFleetSite, type RealFleetSite } from "../support/controller/real-site.ts";
import { findKubeApiserver, howToGetKubeApiserver } from "../support/kube/apiserver.ts";
import { findKubectl, howToGetKubectl, runProgram, type Outcome } from "../support/kube/kubectl.ts";
import { peers } from "../support/peers.ts";

/** The controller before the real API server, driven by the real kubectl, with the rights it is shipped with and no more. */

const net = "127.46.3";
const timeout = 600_000;
const isThere = findKubeApiserver() !== undefined && findKubectl() !== undefined;

describe.skipIf(!isThere)(
  `on a real API server (${howToGetKubectl}; ${howToGetKubeApiserver})`,
  peers,
  () => {
    let site: RealFleetSite;
    let controller: StartedController;
    const asked: string[] = [];
    const home = mkdtempSync(path.join(os.tmpdir(), "slipway-kubectl-"));
    const env = { HOME: home, KUBECONFIG: path.join(home, "config"), PATH: "/usr/bin:/bin" };

    const tryKubectl = (args: string, input?: string): Promise<Outcome> =>
      runProgram(findKubectl() ?? "", ["-n", namespace, ...args.split(" ")], {
        env,
        ...(input !== undefined && { input }),
      });
    const kubectl = async (args: string, input?: string): Promise<string> => {
      const { code, stdout, stderr } = await tryKubectl(args, input);
      expect(`exit ${code} ${code === 0 ? "" : stderr}`).toBe("exit 0 ");
      return stdout.trim();
    };
    /** In several calls: one that takes long is killed, and machines with much to do take long. */
    const waitFor = async (condition: string, object = "swc/lab"): Promise<void> => {
      for (let calls = 0; calls < 8; calls += 1) {
        const { code } = await tryKubectl(`wait ${object} --for=${condition} --timeout=20s`);
        if (code === 0) return;
      }
      expect(await kubectl(`get ${object} -o yaml`)).toBe(`an object with ${condition}`);
    };
    const apply = (object: unknown) =>
      kubectl("apply --server-side --force-conflicts -f -", stringify(object));
    const vms = (): string[] => Object.keys(site.datacenter.proxmox.state().vms);
    const memoryOf = (vmid: number): unknown => site.datacenter.proxmox.state().vms[vmid]?.config["memory"];

    beforeAll(async () => {
      site = await realFleetSite({ net, withSecrets: ["lab"] });
      writeFileSync(env.KUBECONFIG, site.real.kubeconfig, { mode: 0o600 });
      await grant(site.kube, controllerRules);
      // More history than is kept, so that some of it has to go.
      for (const run of oldRuns("lab")) await site.kube.create(run);
      controller = await site.start("one", { access: await site.real.accessAs(controllerUser, []) });
    }, timeout);

    afterAll(async () => {
      await site.close();
      rmSync(home, { recursive: true, force: true });
    });

    test("its definitions are structural, and hold objects to their rules", { timeout }, async () => {
      const found = await kubectl("get crd -o json");
      const crds = (
        JSON.parse(found) as {
          items: (KubeObject & { status: { conditions: { type: string; status: string }[] } })[];
        }
      ).items;
      expect(crds.map(({ metadata }) => metadata.name)).toEqual(
        ["slipwayclusters", "slipwayhosts", "slipwayrollouts", "slipwayruns"].map(
          (name) => `${name}.slipway.dev`,
        ),
      );
      for (const { status } of crds)
        expect(status.conditions.map(({ type, status: is }) => `${type} ${is}`).toSorted()).toEqual([
          "Established True",
          "NamesAccepted True",
        ]);
      const both = { secrets: { documents: { configMap: "a", secret: "b" } } };
      const refused = async (object: unknown) =>
        (await tryKubectl("apply --server-side --dry-run=server -f -", stringify(object))).stderr;
      expect(await refused(clusterObject("lab", net, { cluster: { contolPlanes: {} } }))).toContain(
        "contolPlanes",
      );
      expect(await refused(clusterObject("lab", net, { spec: { apply: "Sometimes" } }))).toContain(
        "Unsupported value",
      );
      expect(
        await refused(
          clusterObject("lab", net, { spec: { deletion: "Delete" }, cluster: { protect: true } }),
        ),
      ).toContain("a protected cluster cannot have the deletion policy Delete");
      expect(await refused(clusterObject("lab", net, { spec: both }))).toContain("ConfigMap or in a Secret");
      expect(await refused(clusterObject("1.lab", net))).toContain("begins with a letter");
      expect(await kubectl("get slipwayruns -o name")).toContain("old-1");
      expect(
        (
          await tryKubectl(
            `patch slipwayrun old-1 --type=merge -p ${JSON.stringify({ spec: { command: "down" } })}`,
          )
        ).stderr,
      ).toContain("cannot be changed");
    });

    test("kubectl makes a cluster, and sees how it is", { timeout }, async () => {
      await apply(hostsObject(net));
      await apply(clusterObject("lab", net));
      await waitFor("condition=Ready");
      const [head = "", row = ""] = (await kubectl("get swc")).split("\n");
      expect(head.split(/\s+/)).toEqual(["NAME", "READY", "PHASE", "KUBERNETES", "NODES", "CHANGES", "AGE"]);
      expect(row.split(/\s+/).slice(0, 6)).toEqual(["lab", "True", "Ready", "1.36.3", "2", "0"]);
      expect(await kubectl("get events --field-selector involvedObject.name=lab -o name")).toContain(
        "event/lab.",
      );
      await waitFor("condition=Ready", "slipwayhosts/rack");
      const runs = (await kubectl("get slipwayruns -o name")).split("\n");
      expect(runs).toHaveLength(20);
    });

    test("a change waits for an annotation with the digest of its plan", { timeout }, async () => {
      await kubectl(
        `patch swc lab --type=merge -p ${JSON.stringify({ spec: { apply: "OnApproval", cluster: { workers: { memory: "3GiB" } } } })}`,
      );
      await waitFor("jsonpath={.status.phase}=AwaitingApproval");
      const digest = await kubectl("get swc lab -o jsonpath={.status.plan.digest}");
      expect(memoryOf(3010)).toBe("2048");
      await kubectl(`annotate swc lab slipway.dev/approved-plan=${digest}`);
      await waitFor("condition=Ready");
      expect(memoryOf(3010)).toBe("3072");
    });

    test("a paused object is not worked on", { timeout }, async () => {
      await kubectl(
        `patch swc lab --type=merge -p ${JSON.stringify({ spec: { apply: "Auto", paused: true, cluster: { workers: { memory: "4GiB" } } } })}`,
      );
      await waitFor("condition=Paused");
      await realClock.sleep(3_000);
      expect(memoryOf(3010)).toBe("3072");
      await kubectl(`patch swc lab --type=merge -p ${JSON.stringify({ spec: { paused: false } })}`);
      await waitFor("condition=Ready");
      expect(memoryOf(3010)).toBe("4096");
    });

    test("two who apply own their fields, and the controller owns the status", { timeout }, async () => {
      const version = (memory: string) =>
        stringify({ ...clusterObject("lab", net), spec: { cluster: { workers: { memory } } } });
      const conflict = await tryKubectl("apply --server-side --field-manager=roller -f -", version("5GiB"));
      expect(conflict.stderr).toContain("conflict");
      const managers = JSON.parse(
        await kubectl("get swc lab --show-managed-fields -o jsonpath={.metadata.managedFields}"),
      ) as { manager: string; subresource?: string }[];
      expect(
        managers.filter(({ subresource }) => subresource === "status").map(({ manager }) => manager),
      ).toEqual(["slipway-controller"]);
    });

    test.each([
      ["Orphan", ["2010", "3010"]],
      ["Retain", []],
      ["Delete", []],
    ])("an object with the policy %s goes as it says", { timeout }, async (deletion, left) => {
      await apply(clusterObject("lab", net, { spec: { deletion } }));
      await waitFor("condition=Ready");
      await kubectl("delete swc lab --wait=false");
      await site.time.until(async () => (await site.cluster("lab")) === undefined);
      expect(vms()).toEqual(left);
      const kept = (await tryKubectl("get secret lab-secrets -o name")).code === 0;
      expect(kept).toBe(deletion !== "Delete");
    });

    test("a replica takes over within 20 s when the leader is cut off", { timeout }, async () => {
      const two = await site.start("two", { access: await site.real.accessAs(controllerUser, []) });
      await realClock.sleep(4_000);
      expect(two.isLeading()).toBe(false);
      controller.cut();
      const cutAt = realClock.now();
      await site.time.until(() => two.isLeading());
      expect(realClock.now() - cutAt).toBeLessThan(20_000);
      expect(await site.time.during(controller.ended)).toBe("lost");
      // Its secrets come from git this time.
      const identity = await generateIdentity();
      const { key, hosts } = hostsWithKey(net, identity);
      for (const object of [key, hosts, await documentsFor(identity)]) await apply(object);
      const documents = { configMap: documentsName };
      await apply(clusterObject("lab", net, { spec: { secrets: { documents } } }));
      await waitFor("condition=Ready");
      await apply({
        ...{ apiVersion, kind: "SlipwayRollout", metadata: { name: "patches", namespace } },
        spec: {
          selector: { matchLabels: { tier: "none" } },
          change: { patches: true },
          rings: [{ name: "all", clusters: "100%" }],
        },
      });
      await waitFor("jsonpath={.status.phase}=Done", "slipwayrollout/patches");
      asked.push(...two.calls);
    });

    test("every right it has is one that it needs, and it has all that it needs", { timeout }, async () => {
      expect(usedRights([...asked, ...controller.calls])).toEqual(shippedRights());
      expect(controller.logs.filter((line) => line.includes("KUBE_FORBIDDEN"))).toEqual([]);

      const client = connectKube({
        kubeconfig: await site.real.accessAs(controllerUser, []),
        dial: dialDirect,
        clock: realClock,
      });
      for (const right of shippedRights()) {
        await grant(site.kube, rulesWithout(right));
        await site.time.until(async () => !(await client.mayI(questionOf(right))).isAllowed);
      }
      await grant(site.kube, controllerRules);
      client.close();
    });
  },
);
