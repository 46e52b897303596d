import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addonDefinitions } from "../../src/addons/index.ts";
import type { Plan } from "../../src/plan/index.ts";
import { standInCharts, type SimChart } from "../../src/sim/charts/index.ts";
import type { Addon, AddonOwner, Cluster } from "../../src/spec/index.ts";
import { addonsLab, type AddonsLab } from "../support/addons-lab.ts";
import { findKubeApiserver, howToGetKubeApiserver } from "../support/kube-apiserver.ts";
import { eventually } from "../support/kube-objects.ts";
import { findHelm, howToGetKubectl } from "../support/kubectl.ts";
import { errorsIn, fleetOf } from "../support/rehearsal-site.ts";
import { textsBelow } from "../support/watched-helm.ts";
import { wholeCluster } from "../support/whole-cluster.ts";
import { isFull } from "../support/whole-sweep.ts";

/** Every add-on with the real helm before the real API server: made, left alone, changed, handed over, taken away. */

const secret = "hidden-word-7d1f";
const note = (word: string) => `note-word-${word}`;

const listed = [
  "cilium: { loadBalancer: { pools: [10.14.0.200-10.14.0.220], announce: l2 } }",
  "nfs-csi: { server: 10.14.0.5, share: /volume1/k8s }",
  'flux: { url: "https://git.example.org/fleet.git", path: ./clusters/lab, credentials: { username: git, password: { env: T } } }',
  "cert-manager",
  "metrics-server",
  "longhorn",
  "prometheus-crds",
  "proxmox-ccm",
  "proxmox-csi: { storageClasses: [{ name: fast, storage: local-lvm }] }",
  'argocd: { repository: { url: "https://git.example.org/apps.git", path: apps } }',
  'chart: { name: podinfo, namespace: web, chart: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: 6.9.0 }',
  "manifest: { name: motd, file: motd.yaml, namespace: motd }",
];

const fleetText = (addons: string[]) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.14.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.14.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 2001, dataDisks: [{ size: 20GiB, for: longhorn }] }
    addons:
${addons.map((addon) => `      - ${addon}`).join("\n")}
`;

/** Kinds stay, for others may use them, and so do namespaces of the user's own. */
const groups = "(cilium|gateway.networking.k8s|cert-manager|monitoring.coreos|fluxcd.controlplane|argoproj)";
const staying = new RegExp(
  `(CustomResourceDefinition|APIService) \\S+\\.${groups}\\.(io|com)$|Namespace (web|motd)$|(web|motd)/(default|kube-root-ca.crt)$`,
);

const isVolume = (name: string): boolean => name.startsWith("v1 PersistentVolume ");

const bumped = (version: string): string => version.replace(/\d+$/, (patch) => String(Number(patch) + 1));

const podinfo: SimChart = {
  name: "podinfo",
  version: "6.9.0",
  appVersion: "6.9.0",
  description: "A chart of the user's own, with a hook before and a workload after",
  values: { replicas: 1 },
  templates: {
    "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: podinfo, namespace: {{ .Release.Namespace }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: podinfo } }
  template:
    metadata: { labels: { app: podinfo } }
    spec: { containers: [{ name: podinfo, image: "ghcr.io/example/podinfo:{{ .Chart.AppVersion }}" }] }
`,
    "migrate.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  namespace: {{ .Release.Namespace }}
  annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded" }
spec:
  template:
    spec: { restartPolicy: Never, containers: [{ name: migrate, image: ghcr.io/example/podinfo }] }
`,
  },
  sources: [{ oci: "oci://ghcr.io/example/charts/podinfo" }],
};

const motd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: greetings.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { kind: Greeting, plural: greetings, singular: greeting, listKind: GreetingList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: example.org/v1
kind: Greeting
metadata: { name: hello }
spec: { text: good morning }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: motd }
data: { text: good morning }
`;

const newest = [...standInCharts, podinfo].filter(
  (chart, index, all) => all.findIndex(({ name }) => name === chart.name) === index,
);
const charts = [...newest, ...newest.map((chart) => ({ ...chart, version: bumped(chart.version) }))];

const helm = findHelm();
const isReady = helm !== undefined && findKubeApiserver() !== undefined;

describe.skipIf(!isReady)(
  `add-ons on a real API server; ${howToGetKubectl}; ${howToGetKubeApiserver}`,
  () => {
    let lab: AddonsLab;
    let cluster: Cluster;
    let before: string[];

    beforeAll(async () => {
      const [first] = fleetOf(fleetText(isFull ? listed : listed.slice(0, 3))).clusters;
      if (!first) throw new Error("the fleet has a cluster");
      lab = await addonsLab({
        host: "127.0.6.1",
        helm: { command: helm ?? "", version: { major: 4, minor: 2, patch: 3 } },
        nodes: first.nodes.map((node) => node.name),
        ...{ charts, secret },
      });
      const file = path.join(lab.folder, "lab.yaml");
      await writeFile(path.join(lab.folder, "motd.yaml"), motd);
      cluster = await lab.withOwnCharts({ ...first, at: { ...first.at, file } });
      before = await namesThere();
    }, 60_000);
    afterAll(() => lab?.[Symbol.asyncDispose]());

    const namesThere = async () => (await wholeCluster(lab.kube)).map(({ name }) => name);

    /** The add-ons as another file would have them. */
    const wanted = (change: { word?: string; isNewer?: boolean; owner?: AddonOwner }): Cluster => ({
      ...cluster,
      addons: cluster.addons.map((addon) => ({ ...addon, ...changed(addon, change) }) as Addon),
    });

    function changed(addon: Addon, change: { word?: string; isNewer?: boolean; owner?: AddonOwner }) {
      const usual = addonDefinitions.get(addon.name)?.versions[0]?.version;
      const version = addon.version ?? usual;
      return {
        values: { slipwayNote: note(change.word ?? "first") },
        secretValues: { slipwaySecret: { env: "T" } },
        owner: change.owner ?? "slipway",
        ...(version !== undefined && { version: change.isNewer ? bumped(version) : version }),
      };
    }

    const carryOut = async (plan: Plan) => {
      const { result, events } = await lab.run(plan);
      expect(errorsIn(events)).toEqual([]);
      expect(result.failed).toEqual([]);
      return result.finished.map(({ step }) => step);
    };
    const inWords = ({ changes }: Plan) =>
      changes.map(
        ({ node, action, fields }) =>
          `${action} ${node.id}${fields.map(({ field, from, to }) => ` [${field}: ${from} -> ${to}]`).join("")}`,
      );

    test("each is made, and the next look finds nothing to do", async () => {
      const plan = await lab.plan(wanted({}));
      expect(new Set(plan.changes.map(({ action }) => action))).toEqual(new Set(["create"]));
      expect((await carryOut(plan)).length).toBe(cluster.addons.length);
      expect(inWords(await lab.plan(wanted({})))).toEqual([]);
    }, 120_000);

    test("each is brought to another version, and the next look finds nothing to do", async () => {
      const plan = await lab.plan(wanted({ isNewer: true }));
      for (const { fields } of plan.changes) expect(fields.map(({ field }) => field)).toContain("version");
      await carryOut(plan);
      expect(inWords(await lab.plan(wanted({ isNewer: true })))).toEqual([]);
    }, 120_000);

    test("each is handed over with nothing touched, and then left alone", async () => {
      const ownPapers = / ConfigMap kube-system\/slipway-addon-|slipway-proof-/;
      const there = async () => (await wholeCluster(lab.kube)).filter(({ name }) => !ownPapers.test(name));
      const then = await there();
      await carryOut(await lab.plan(wanted({ isNewer: true, owner: "gitops" })));
      expect(await there()).toEqual(then);
      expect(inWords(await lab.plan(wanted({ word: "second", owner: "gitops" })))).toEqual([]);
    }, 120_000);

    test("each is taken back with other values, and no value was ever in the open", async () => {
      const want = wanted({ isNewer: true, word: "second" });
      const plan = await lab.plan(want);
      expect(plan.changes.length).toBe(cluster.addons.length);
      await carryOut(plan);
      expect(inWords(await lab.plan(want))).toEqual([]);
    }, 120_000);

    test("removal leaves nothing but the kinds others may use", async () => {
      // A driver that goes before the volume of its last proof would leave it behind.
      await eventually(async () => expect((await namesThere()).filter(isVolume)).toEqual([]));
      const plan = await lab.planRemoval({ ...cluster, addons: [] });
      expect(plan.changes.length).toBe(cluster.addons.length);
      await carryOut(plan);
      await eventually(async () => {
        const left = (await namesThere()).filter((name) => !before.includes(name));
        expect(left.filter((name) => !staying.test(name))).toEqual([]);
      });
    }, 120_000);

    test("helm was told values and secrets in private only", async () => {
      const key = /client-key-data: (\S{40})/.exec(lab.kubeconfig)?.[1] ?? "";
      const words = ["note-word", secret, key];
      expect(lab.helmRuns.filter(({ hasInput }) => hasInput).length).toBeGreaterThan(3);
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
  },
);
