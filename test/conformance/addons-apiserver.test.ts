import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addons } from "../../src/addons/index.ts";
import type { Plan } from "../../src/plan/index.ts";
import type { Addon, AddonOwner, Cluster } from "../../src/spec/index.ts";
import {
  addonCharts,
  allAddonCases,
  bumped,
  clusterWith,
  isStaying,
  motdFile,
  type AddonCase,
} from "../support/addons/cases.ts";
import { realCluster, simulatedCluster, type StartCluster } from "../support/addons/clusters.ts";
import { addonsLab, type AddonsLab } from "../support/addons/lab.ts";
import { findHelm3, helm3Version, howToGetHelm3 } from "../support/addons/helm3.ts";
import { findKubeApiserver, howToGetKubeApiserver } from "../support/kube/apiserver.ts";
import { eventually } from "../support/kube/objects.ts";
import { findHelm, findKubectl, howToGetKubectl, runProgram } from "../support/kube/kubectl.ts";
import { errorsIn } from "../support/sim/rehearsal-site.ts";
import { textsBelow } from "../support/addons/watched-helm.ts";
import { wholeCluster } from "../support/kube/whole-cluster.ts";
import { isFull } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

/**
 * Add-ons with the real helm before the real API server: made, left alone, changed, handed over, taken back, removed.
 * A usual run takes three of them, SLIPWAY_FULL=1 all, and those with hooks and kept kinds with Helm 3 as well.
 */

const secret = "hidden-word-7d1f";
const kubectl = findKubectl();

interface Suite {
  title: string;
  /** An address of its own, so that labs do not meet. */
  host: string;
  start: StartCluster;
  helm: Parameters<typeof addonsLab>[0]["helm"] | undefined;
  cases: readonly AddonCase[];
  isLeftOut?: boolean;
}

const [command, older] = [findHelm(), findHelm3()];
const helm4 = command === undefined ? undefined : { command, version: { major: 4, minor: 2, patch: 3 } };
const server = findKubeApiserver();
const suites: Suite[] = [
  {
    title: `a real API server; ${howToGetKubectl}; ${howToGetKubeApiserver}`,
    host: "127.0.6.1",
    start: realCluster,
    helm: server === undefined ? undefined : helm4,
    cases: isFull ? allAddonCases : ["cilium", "nfs-csi", "flux"],
  },
  {
    title: `a simulated API server; with SLIPWAY_FULL=1; ${howToGetKubectl}`,
    host: "127.0.6.3",
    start: simulatedCluster,
    helm: helm4,
    // Where programs of theirs work on the cluster; rehearsals have all of them.
    cases: ["cilium", "nfs-csi", "flux", "longhorn", "podinfo", "motd"],
    isLeftOut: !isFull,
  },
  {
    title: `a real API server with Helm 3; with SLIPWAY_FULL=1; ${howToGetHelm3}`,
    host: "127.0.6.2",
    start: realCluster,
    helm: older === undefined || server === undefined ? undefined : { command: older, version: helm3Version },
    cases: ["cilium", "flux", "cert-manager", "prometheus-crds", "podinfo"],
    isLeftOut: !isFull,
  },
];

/** How the file is changed. */
interface Edit {
  word?: string;
  isNewer?: boolean;
  owner?: AddonOwner;
}

/** A new proof of a volume waits for the end of the last one, some ten seconds: a usual run lets the driver be. */
const isLeftAlone = (addon: Addon): boolean => !isFull && addon.name === "nfs-csi";

function edited(addon: Addon, { word = "first", isNewer, owner = "slipway" }: Edit): Addon {
  const version = addon.version ?? addons.find(({ name }) => name === addon.name)?.versions[0]?.version;
  const isChanged = !isLeftAlone(addon);
  const options =
    addon.name === "nfs-csi" && isFull
      ? { ...(addon.options as object), share: `/${word}/k8s` }
      : addon.options;
  return {
    ...{ ...addon, options, owner: isChanged ? owner : "slipway" },
    values: { slipwayNote: `note-word-${isChanged ? word : "first"}` },
    secretValues: { slipwaySecret: { env: "T" } },
    ...(version !== undefined && { version: isNewer && isChanged ? bumped(version) : version }),
  };
}

for (const { title, host, start, helm, cases, isLeftOut = false } of suites) {
  describe.skipIf(helm === undefined || isLeftOut)(`add-ons on ${title}`, peers, () => {
    let lab: AddonsLab;
    let cluster: Cluster;
    let before: string[];

    beforeAll(async () => {
      const described = clusterWith(cases);
      const nodes = described.nodes.map((node) => node.name);
      lab = await addonsLab({ host, start, helm: helm as Helm, nodes, charts: addonCharts, secret });
      const file = path.join(lab.folder, "lab.yaml");
      await writeFile(path.join(lab.folder, "motd.yaml"), motdFile);
      await writeFile(path.join(lab.folder, "kubeconfig"), lab.kubeconfig, { mode: 0o600 });
      cluster = await lab.withOwnCharts({ ...described, at: { ...described.at, file } });
      before = await namesThere();
    });
    afterAll(() => lab?.[Symbol.asyncDispose]());

    const namesThere = async () => (await wholeCluster(lab.kube)).map(({ name }) => name);
    const wanted = (edit: Edit = {}): Cluster => ({
      ...cluster,
      addons: cluster.addons.map((addon) => edited(addon, edit)),
    });
    const touched = () => cluster.addons.filter((addon) => !isLeftAlone(addon)).length;
    const carryOut = async (plan: Plan): Promise<number> => {
      const { result, events } = await lab.run(plan);
      expect(errorsIn(events)).toEqual([]);
      // A step that was still waiting when the time was over tells what it waited for.
      const waits = events.filter((event) => event.type === "waiting");
      const unfinished = [...result.failed, ...result.stopped];
      expect(
        unfinished,
        JSON.stringify(waits.filter(({ step }) => unfinished.includes(step)).slice(-6), undefined, 1),
      ).toEqual([]);
      return result.finished.length;
    };
    const changesOf = async (want: Cluster) => asText(await lab.plan(want));
    const callKubectl = (args: string[], input = "") =>
      runProgram(kubectl ?? "", args, {
        env: { KUBECONFIG: path.join(lab.folder, "kubeconfig"), HOME: lab.folder },
        input,
      });

    test("each is made, and the next look finds nothing to do", async () => {
      const plan = await lab.plan(wanted());
      expect(new Set(plan.changes.map(({ action }) => action))).toEqual(new Set(["create"]));
      expect(await carryOut(plan)).toBe(cluster.addons.length);
      expect(await changesOf(wanted())).toEqual([]);
    });

    test("kubectl sees who keeps what, and what it changes by hand is told and mended", async () => {
      const pool = ["get", "ciliumloadbalancerippool", "slipway", "-o", "jsonpath={.spec.blocks[0].stop}"];
      expect((await callKubectl(pool)).stdout).toBe("10.14.0.220");
      const managers = new Map((await wholeCluster(lab.kube)).map(({ name, managers: who }) => [name, who]));
      expect(managers.get("cilium.io/v2 CiliumLoadBalancerIPPool slipway")).toEqual(["slipway"]);
      expect(managers.get("apps/v1 Deployment kube-system/cilium-operator")).toContain("helm");
      const other = poolOf("10.14.0.230");
      const apply = ["apply", "--server-side", "--field-manager", "somebody", "-f", "-"];
      expect((await callKubectl(apply, other)).stderr).toMatch(/conflict with "slipway"/);
      expect((await callKubectl([...apply, "--force-conflicts"], other)).code).toBe(0);
      expect(await changesOf(wanted())).toEqual([
        "update lab/addon/cilium [CiliumLoadBalancerIPPool slipway: spec.blocks differs -> as in the file]",
      ]);
      await carryOut(await lab.plan(wanted()));
      expect((await callKubectl(pool)).stdout).toBe("10.14.0.220");
    });

    test("each is brought to another version, and the next look finds nothing to do", async () => {
      const plan = await lab.plan(wanted({ isNewer: true }));
      for (const { fields } of plan.changes) expect(fields.map(({ field }) => field)).toContain("version");
      await carryOut(plan);
      expect(await changesOf(wanted({ isNewer: true }))).toEqual([]);
    });

    test("each is handed over with nothing touched, and then left alone", async () => {
      const ownPapers = / ConfigMap kube-system\/slipway-addon-|slipway-proof-| PersistentVolume /;
      const there = async () => (await wholeCluster(lab.kube)).filter(({ name }) => !ownPapers.test(name));
      const then = await there();
      expect(await carryOut(await lab.plan(wanted({ isNewer: true, owner: "gitops" })))).toBe(touched());
      expect(await there()).toEqual(then);
      expect(await changesOf(wanted({ word: "second", owner: "gitops" }))).toEqual([]);
    });

    test("each is taken back with other values", async () => {
      const want = wanted({ isNewer: true, word: "second" });
      expect(await carryOut(await lab.plan(want))).toBe(touched());
      expect(await changesOf(want)).toEqual([]);
    });

    test("removal leaves nothing but the kinds others may use", async () => {
      // A driver that goes before the volume of its last proof would leave it behind.
      await eventually(async () => expect((await namesThere()).filter(isVolume)).toEqual([]));
      expect(await carryOut(await lab.planRemoval({ ...cluster, addons: [] }))).toBe(cluster.addons.length);
      await eventually(async () => {
        const left = (await namesThere()).filter((name) => !before.includes(name));
        expect(left.filter((name) => !isStaying(name))).toEqual([]);
      });
    });

    test.runIf(isFull)("right after that each can be made again, over the kinds that stayed", async () => {
      expect(await carryOut(await lab.plan(wanted()))).toBe(cluster.addons.length);
      expect(await changesOf(wanted())).toEqual([]);
    });

    test("helm was told values and secrets in private only", () => {
      const key = /client-key-data"?: *"?([\w+/]{40})/.exec(lab.kubeconfig)?.[1] ?? "no key";
      const words = ["note-word", secret, key];
      expect(lab.helmRuns.filter(({ hasInput }) => hasInput).length).toBeGreaterThanOrEqual(cases.length);
      for (const { open, files } of lab.helmRuns) {
        expect(words.filter((word) => open.includes(word))).toEqual([]);
        expect(files.filter(({ mode }) => mode !== 0o600)).toEqual([]);
      }
      for (const { file, text } of textsBelow(lab.helmFolder))
        expect(
          words.filter((word) => text.includes(word)),
          file,
        ).toEqual([]);
    });
  });
}

type Helm = NonNullable<Suite["helm"]>;

const isVolume = (name: string): boolean => name.startsWith("v1 PersistentVolume ");

const poolOf = (stop: string): string =>
  JSON.stringify({
    apiVersion: "cilium.io/v2",
    kind: "CiliumLoadBalancerIPPool",
    metadata: { name: "slipway" },
    spec: { blocks: [{ start: "10.14.0.200", stop }] },
  });

const asText = ({ changes }: Plan): string[] =>
  changes.map(
    ({ node, action, fields }) =>
      `${action} ${node.id}${fields.map(({ field, from, to }) => ` [${field}: ${from} -> ${to}]`).join("")}`,
  );
