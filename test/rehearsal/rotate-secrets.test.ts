import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  fleetStatus,
  recoverClusterSecrets,
  rotateCredentials,
  verifyFleet,
} from "../../src/operations/index.ts";
import { realRandom } from "../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../src/pki/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { asksKube, asksTalos, rotate, takeFiles } from "../support/sim/rotation.ts";
import { whole } from "../support/whole-sweep.ts";

/** Credentials issued anew, their end told, and lost secrets read back from the running cluster. */

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, cores: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);
const [cluster] = fleet.clusters;
if (!cluster) throw new Error("the fleet has no cluster");
const host = "10.8.0.10";

let site: RehearsalSite;
const never = new AbortController().signal;
const world = (tell: (event: EventBody) => void = () => {}) => site.rehearsal.world(never, tell);
const file = (name: string): string => path.join(site.folder, "lab", name);
const recover = (credential?: { text: string; file: string }) =>
  recoverClusterSecrets({ fleet, cluster, credential }, world());

beforeAll(async () => {
  site = await runningSite(fleet, { latencies: { staticPodMs: 2_000, registerMs: 2_000 } });
});
afterAll(() => site?.[Symbol.asyncDispose]());

test("rotateCredentials() issues both files anew and says how long copies of the old ones work", async () => {
  const before = await takeFiles(site);
  const renewed = await rotateCredentials(
    { fleet, cluster, confirm: () => Promise.reject(new Error("no token ends here")) },
    world(),
  );
  expect(renewed.map(({ credential }) => credential)).toEqual(["kubeconfig", "talosconfig"]);
  expect(renewed[0]?.old).toMatch(
    /^copies of the old one work until \d{4}-\d\d-\d\d; only a new CA ends them before: slipway rotate ca kubernetes lab$/,
  );
  const after = await takeFiles(site);
  expect(after.kube.cert).not.toBe(before.kube.cert);
  expect(after.talos.cert).not.toBe(before.talos.cert);
  for (const files of [before, after])
    expect([await asksKube(site, host, files.kube), await asksTalos(site, host, files.talos)]).toEqual([
      true,
      true,
    ]);
});

/** A certificate with this many days left. */
async function endingIn(days: number) {
  const dates = { notBefore: world().wall.now(), lifetimeMs: days * 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", ...dates });
  return issueCertificate({ authority, usages: ["client"], ...dates });
}

test("status and verify tell when certificates end, warn a month before, and tell of a rotation that waits", async () => {
  const read = async () => (await fleetStatus({ fleet, selection: {} }, world()))[0];
  const names = (await read())?.certificates?.map(({ name }) => name) ?? [];
  expect(names).toEqual(
    expect.arrayContaining([
      ...["kubeconfig", "talosconfig", "Kubernetes API on cp-1"],
      ...["Talos API CA", "Kubernetes CA", "etcd CA"],
    ]),
  );
  expect((await read())?.know).toBeUndefined();
  const text = await readFile(file("kubeconfig"), "utf8");
  const { cert } = await endingIn(20);
  await writeFile(
    file("kubeconfig"),
    text.replace(/(client-certificate-data: )\S+/, `$1${Buffer.from(cert).toString("base64")}`),
  );
  expect((await read())?.know).toMatch(/^kubeconfig expires in (19|20) days$/);
  await writeFile(file("kubeconfig"), text);
  const checks: EventBody[] = [];
  await verifyFleet(
    { fleet, clusters: [] },
    world((event) => checks.push(event)),
  );
  const found = checks.find((event) => event.type === "check" && event.id === "certificates");
  expect(found).toMatchObject({ status: "ok" });
});

test("lost secrets are read back, proven and written; others that lie there stay", async () => {
  const before = await readFile(file("secrets.yaml"), "utf8");
  expect(await recover()).toEqual({ file: file("secrets.yaml"), isNew: false, provenBy: ["cp-1"] });
  await rm(file("secrets.yaml"));
  const talosconfig = await readFile(file("talosconfig"), "utf8");
  await rm(file("talosconfig"));
  await expect(recover()).rejects.toMatchObject({ code: "SECRETS_NO_CREDENTIAL" });
  const foreign = talosconfig.replace(/endpoints:[^]*?(?=\n {8}\w|$)/, "endpoints: [10.8.0.77]");
  const damaged = foreign.replace(/crt: \S+/, "crt: bm90aGluZw==");
  await expect(recover({ text: damaged, file: "admin" })).rejects.toMatchObject({
    code: "SECRETS_NOBODY_TELLS",
  });
  expect(await recover({ text: talosconfig, file: "admin" })).toMatchObject({ isNew: true });
  expect(await readFile(file("secrets.yaml"), "utf8")).toBe(before);
  const other = before.replace(/secret: .*/, `secret: ${Buffer.alloc(32, 7).toString("base64")}`);
  await writeFile(file("secrets.yaml"), other);
  await expect(recover({ text: talosconfig, file: "admin" })).rejects.toMatchObject({ code: "SECRETS_KEPT" });
  expect(await readFile(file("secrets.yaml"), "utf8")).toBe(other);
  await writeFile(file("secrets.yaml"), before);
  await writeFile(file("talosconfig"), talosconfig);
});

test("secrets that are lost while a rotation waits are read back with where it stands", whole, async () => {
  const { runReport } = await rotate(site, fleet, "kubernetes", false);
  expect(runReport.outcome).toBe("done");
  const before = await readFile(file("secrets.yaml"), "utf8");
  const waiting = (await fleetStatus({ fleet, selection: {} }, world()))[0];
  expect(waiting?.know).toBe(
    "rotation of the Kubernetes CA is under way: slipway rotate ca kubernetes lab goes on",
  );
  await rm(file("secrets.yaml"));
  expect(await recover()).toMatchObject({ isNew: true });
  expect(await readFile(file("secrets.yaml"), "utf8")).toBe(before);
  expect((await rotate(site, fleet, "kubernetes", true)).runReport.outcome).toBe("done");
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
});
