import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shown } from "../../src/cli/commands/rotation/ca.ts";
import { renderRotation } from "../../src/cli/views/index.ts";
import {
  fleetStatus,
  recoverClusterSecrets,
  rotateCa,
  rotateCredentials,
  rotatePart,
  verifyFleet,
  type PlannedRotation,
} from "../../src/operations/index.ts";
import { rehearsedLogin } from "../../src/operations/rehearsal/metal.ts";
import type { EventBody, RenewablePart } from "../../src/plan/index.ts";
import { newSshKey, realRandom } from "../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../src/pki/index.ts";
import { parseK3sBundle } from "../../src/secrets/index.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { jsonLines } from "../support/screens/json-lines.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { asksKube, renew, takeKubeconfig, type Identity } from "../support/sim/rotation.ts";
import { whole } from "../support/whole-sweep.ts";

/** Certificates, tokens and encryption keys of K3s, made anew under a running cluster, cut and gone on with. */

const user = "debian";
const clusterFile = `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.9.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }, tls: { ca: ca.pem } } }
clusters:
  lab:
    k3s: { version: 1.36.3+k3s1, user: ${user}, disable: [traefik], encryption: true, keys: ["${rehearsedLogin.public}"] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.9.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`;
const fleet = fleetOf(clusterFile);
const servers = ["cp-1", "cp-2", "cp-3"];
const nodes = [...servers, "worker-1"];
const data = "/var/lib/rancher/k3s";

const [cluster] = fleet.clusters;
if (!cluster) throw new Error("the fleet has no cluster");
const world = () => site.rehearsal.world(new AbortController().signal, () => {});

let site: RehearsalSite;
let bystander: Identity;
beforeAll(async () => {
  site = await runningSite(fleet);
  bystander = await takeKubeconfig(site);
});
afterAll(() => site?.[Symbol.asyncDispose]());

const hostOf = (node: string) =>
  [...site.rehearsal.datacenter.linux.hosts().values()].find(({ disk }) => disk.hostname === node);
const read = (node: string, file: string): string | undefined =>
  hostOf(node)?.view.files.read(file)?.toString("utf8");
const bundle = async () => {
  const file = path.join(site.folder, "lab", "k3s-secrets.yaml");
  return parseK3sBundle(await readFile(file, "utf8"), file);
};

/** Runs until this step is over, then again to the end. Says in which order nodes started again. */
async function inPieces(part: RenewablePart, until: string): Promise<string[]> {
  const stop = new AbortController();
  const order: string[] = [];
  const note = (event: EventBody): void => {
    if (event.type === "finished") order.push(event.step.split("/").slice(1).join("/"));
  };
  const cut = await renew(
    site,
    fleet,
    part,
    (event) => {
      note(event);
      if (event.type === "finished" && event.step === `lab/${until}`) stop.abort("SIGINT");
    },
    stop.signal,
  );
  expect(cut.runReport.outcome).toBe("stopped");
  expect(await asksKube(site, "10.9.0.11", bystander)).toBe(true);
  const rest = await renew(site, fleet, part, note);
  expect(errorsIn(rest.events.map(({ event }) => event))).toEqual([]);
  expect(rest.runReport.outcome).toBe("done");
  expect(await asksKube(site, "10.9.0.10", bystander)).toBe(true);
  expect((await site.plan(fleet)).changes).toEqual([]);
  return order;
}

const leafOf = (node: string): X509Certificate =>
  new X509Certificate(
    read(
      node,
      `${data}/${servers.includes(node) ? "server/tls/client-admin" : "agent/client-kubelet"}.crt`,
    ) ?? "",
  );

test("before anything is changed, each rotation shows what it will do and what it costs", async () => {
  const shownBy = async (
    rotating: (confirm: (planned: PlannedRotation) => Promise<boolean>) => Promise<unknown>,
  ): Promise<string> => {
    let text = "";
    await rotating((planned) => {
      text = renderRotation(shown(planned), testScreen());
      return Promise.resolve(false);
    });
    return text;
  };
  const request = { fleet, cluster };
  const screens = [
    await shownBy((confirm) => rotateCa({ ...request, ca: "kubernetes", finishes: false, confirm }, world())),
    await shownBy((confirm) => rotatePart({ ...request, part: "certificates", confirm }, world())),
    await shownBy((confirm) => rotatePart({ ...request, part: "tokens", confirm }, world())),
    await shownBy((confirm) => rotatePart({ ...request, part: "encryption-keys", confirm }, world())),
  ];
  expectGolden(screens.join("\n"), import.meta.dirname, "testdata", "rotate-k3s.txt");
  expect((await site.plan(fleet)).changes).toEqual([]);
});

test("status and verify tell when certificates end, warn a month before, and say what renews them", async () => {
  const status = async () => (await fleetStatus({ fleet, selection: {} }, world()))[0];
  const lives = (await status())?.certificates ?? [];
  expect(lives.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "kubeconfig",
      ...servers.map((node) => `Kubernetes API on ${node}`),
      ...["kubelet on worker-1", "server CA of K3s", "etcd peer CA of K3s"],
    ]),
  );
  expect(lives.find(({ name }) => name === "kubelet on worker-1")?.daysLeft).toBe(364);
  expect((await status())?.know).toBeUndefined();
  const leaf = `${data}/agent/client-kubelet.crt`;
  const before = read("worker-1", leaf) ?? "";
  const dates = { notBefore: Date.now(), lifetimeMs: 20 * 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", ...dates });
  const { cert } = await issueCertificate({ authority, usages: ["client"], ...dates });
  hostOf("worker-1")?.view.files.write(leaf, cert, 0o644);
  expect((await status())?.know).toBe("kubelet on worker-1 expires in 19 days");
  const checks: EventBody[] = [];
  const telling = site.rehearsal.world(new AbortController().signal, (event) => checks.push(event));
  await verifyFleet({ fleet, clusters: [] }, telling);
  expect(checks.find((event) => event.type === "check" && event.id === "certificates")).toMatchObject({
    status: "warned",
    found: "kubelet on worker-1 expires in 19 days; renew: slipway rotate certificates lab",
  });
  hostOf("worker-1")?.view.files.write(leaf, before, 0o644);
});

test("every node gets new certificates of the same CAs, once, though the run is cut", whole, async () => {
  const before = nodes.map(leafOf);
  const order = await inPieces("certificates", "renewed/cp-2");
  expect(order).toEqual([
    "certificates/begin",
    ...nodes.map((node) => `renewed/${node}`),
    "certificates/end",
  ]);
  for (const [index, leaf] of nodes.map(leafOf).entries()) {
    expect(leaf.serialNumber).not.toBe(before[index]?.serialNumber);
    expect(leaf.issuer).toBe(before[index]?.issuer);
  }
  expect(nodes.map((node) => read(node, "/etc/rancher/k3s/.slipway-certificates-done"))).toEqual(
    nodes.map(() => undefined),
  );
});

test(
  "tokens are exchanged server by server, the old one is kept for its snapshots, and new nodes join",
  whole,
  async () => {
    const before = await bundle();
    const order = await inPieces("tokens", "renewed/cp-1");
    expect(order).toEqual(["tokens/secrets", ...nodes.map((node) => `renewed/${node}`)]);
    const after = await bundle();
    expect(after.formerTokens).toEqual([before.token]);
    expect([after.token, after.agentToken]).not.toContain(before.token);
    expect(after.agentToken).not.toBe(before.agentToken);
    expect(after.nextTokens).toBeUndefined();
    for (const node of nodes) {
      const config = read(node, "/etc/rancher/k3s/config.yaml") ?? "";
      expect(config).toContain(servers.includes(node) ? after.token : after.agentToken);
      expect(config).not.toContain(before.agentToken);
    }
    const secrets = [before.token, before.agentToken, after.token, after.agentToken];
    const planned = JSON.stringify(await site.plan(fleet));
    for (const secret of secrets) expect(planned).not.toContain(secret);
    await site.removeByHand(2001);
    const up = await site.up(fleet);
    expect(up.runReport.outcome, errorsIn(up.events).join("; ")).toBe("done");
  },
);

test(
  "a new key encrypts all Secrets before any server starts again, and all of them hold it",
  whole,
  async () => {
    const keys = () => servers.map((node) => read(node, `${data}/server/cred/encryption-config.json`));
    const [before] = keys();
    const order = await inPieces("encryption-keys", "encryption-keys/key");
    expect(order).toEqual([
      "encryption-keys/key",
      // What was done is done, and waited for once more.
      "encryption-keys/key",
      ...servers.map((node) => `renewed/${node}`),
      "encryption-keys/end",
    ]);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).not.toBe(before);
    expect(JSON.stringify(keys()[0]).match(/aescbckey/g)).toHaveLength(2);
  },
);

test("typed with --json, each tells its steps and ends as done", async () => {
  const { datacenter, time } = site.rehearsal;
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rotate-"));
  await symlink(site.folder, path.join(folder, ".slipway"));
  await writeFile(path.join(folder, "slipway.yaml"), clusterFile);
  await writeFile(path.join(folder, "ca.pem"), datacenter.ca);
  const simulated = { clock: time.clock, dial: world().dial };
  const env = { PVE_TOKEN: datacenter.proxmox.state().tokens["slipway@pve!main"]?.secret ?? "" };
  for (const part of ["certificates", "tokens", "encryption-keys"]) {
    // Nothing takes time here, and systemd starts no service five times in ten seconds.
    await site.pass(60_000);
    const args = ["rotate", part, "--yes", "--json"];
    const { code, stdout, stderr } = await inProcess(folder, args, env, { simulated });
    expect([part, code], stdout.slice(-800) + stderr).toEqual([part, 0]);
    const steps = jsonLines(stdout).flatMap(({ type, step }) => (type === "finished" ? [step] : []));
    expect(steps).toEqual(expect.arrayContaining(servers.map((node) => `lab/renewed/${node}`)));
  }
  await rm(folder, { recursive: true });
});

test("rotateCredentials() issues the kubeconfig and the login key anew, and no machine lets the old key in", async () => {
  const keyFile = path.join(site.folder, "lab", "ssh", "id_ed25519");
  const allowed = (node: string): string[] =>
    (read(node, `/home/${user}/.ssh/authorized_keys`) ?? "").trim().split("\n");
  const before = { key: await readFile(keyFile, "utf8"), allowed: nodes.map(allowed) };
  const confirm = () => Promise.reject(new Error("no token ends here"));
  const renewed = await rotateCredentials({ fleet, cluster, confirm }, world());
  expect(renewed.map(({ credential }) => credential)).toEqual(["kubeconfig", "SSH login key"]);
  expect(renewed[0]?.old).toContain("only a new CA ends them before: slipway rotate ca kubernetes lab");
  expect(await readFile(keyFile, "utf8")).not.toBe(before.key);
  for (const [index, lines] of nodes.map(allowed).entries()) {
    const old = before.allowed[index] ?? [];
    // The user's own stays, and one of two is another.
    expect([lines.length, lines.filter((line) => old.includes(line)).length]).toEqual([2, 1]);
    expect(
      lines.some((line) => line.startsWith(rehearsedLogin.public.split(" ").slice(0, 2).join(" "))),
    ).toBe(true);
  }
  expect((await site.plan(fleet)).changes).toEqual([]);
});

test("with .slipway gone, secrets and login are read back over the user's own SSH, and up has nothing to do", async () => {
  const before = await bundle();
  const recover = (credential?: { text: string; file: string }) =>
    recoverClusterSecrets({ fleet, cluster, credential }, world());
  expect(await recover()).toMatchObject({ isNew: false, provenBy: servers });
  await rm(path.join(site.folder, "lab"), { recursive: true });
  const stranger = { text: newSshKey(realRandom).private, file: "stranger" };
  await expect(recover(stranger)).rejects.toMatchObject({ code: "SECRETS_NOBODY_TELLS" });
  expect(await recover()).toMatchObject({ isNew: true, provenBy: servers });
  const after = await bundle();
  expect(after.authorities).toEqual(before.authorities);
  expect([after.token, after.agentToken, after.serviceKey]).toEqual([
    before.token,
    before.agentToken,
    before.serviceKey,
  ]);
  expect(after.root).toEqual({ cert: before.root.cert });
  const up = await site.up(fleet);
  expect(up.runReport.outcome, errorsIn(up.events).join("; ")).toBe("done");
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
});
