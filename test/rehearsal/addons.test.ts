import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A cluster with every add-on: installed, left alone, changed, handed over, taken away. */

const fleetWith = (...addons: string[]) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.14.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.14.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 3000, dataDisks: [{ size: 20GiB, for: longhorn }] }
    addons:
${addons.map((addon) => `      - ${addon}`).join("\n")}
`);

const all = [
  "cilium: { loadBalancer: { pools: [10.14.0.200-10.14.0.220], announce: l2 } }",
  "cert-manager",
  "nfs-csi: { server: 10.14.0.5, share: /volume1/k8s }",
  "metrics-server",
  "longhorn",
  "prometheus-crds",
  "proxmox-ccm",
  "proxmox-csi: { storageClasses: [{ name: fast, storage: local-lvm }] }",
  'flux: { url: "https://git.example.org/fleet.git", path: ./clusters/lab }',
  'argocd: { repository: { url: "https://git.example.org/apps.git", path: apps } }',
  'chart: { name: podinfo, namespace: web, chart: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: 6.9.0 }',
];

const fleet = fleetWith(...all);
let site: RehearsalSite;
let told: EventBody[];

beforeAll(async () => {
  site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  told = events;
});

afterAll(() => site[Symbol.asyncDispose]());

const changes = async (wanted = fleet) =>
  (await site.plan(wanted)).changes.map(
    ({ node, action, fields }) =>
      `${action} ${node.id}${fields.map(({ field, from, to }) => ` [${field}: ${from} -> ${to}]`).join("")}`,
  );

test("pain-28-cluster-and-charts-in-one-run: every add-on is installed, and the next plan finds nothing to do (terraform-provider-helm#16, terraform-provider-helm#1181)", async () => {
  const done = told.flatMap((event) => (event.type === "finished" ? [event.step] : []));
  expect(done.filter((step) => step.includes("/addon/")).length).toBe(12);
  expect(await changes()).toEqual([]);
});
