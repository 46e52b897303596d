import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fleetOf, rehearsalSite, type RehearsalSite } from "../../test/support/sim/rehearsal-site.ts";
import { issueTalosClient, writeTalosconfig } from "../distros/talos/index.ts";
import { realClock, realRandom } from "../lib/index.ts";
import { createBundle, parseBundle, plainFiles, writeBundle } from "../secrets/index.ts";
import { adoptCluster, type AdoptRequest } from "./adopt.ts";
import { planFleet } from "./plan.ts";

const never = new AbortController().signal;

describe.each(["1.13.9", "1.14.1"])("a cluster of Talos %s that Slipway does not know", (version) => {
  const fleet = fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://10.8.0.1:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
clusters:
  lab:
    talos: { version: ${version} }
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10 }
    workers: { count: 1, address: .20 }
`);
  let site: RehearsalSite;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "slipway-adopt-"));
    site = await rehearsalSite(fleet);
    expect((await site.up(fleet)).runReport.outcome).toBe("done");
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const original = (name: string) => readFile(path.join(site.folder, "lab", name), "utf8");
  const world = (name: string) => ({
    ...site.rehearsal.world(never, () => {}),
    folder: path.join(folder, name),
    secretFiles: plainFiles(path.join(folder, name), realRandom),
  });
  const adopt = (name: string, from: AdoptRequest["from"]) =>
    adoptCluster({ fleet, cluster: "lab", from }, world(name));

  test("its secrets are read from a running control plane, and a plan then knows all of it", async () => {
    const adoption = await adopt("asked", {
      talosconfig: await original("talosconfig"),
      file: "talosconfig",
    });
    expect(adoption).toMatchObject({
      isNew: true,
      nodes: [
        { node: "cp-1", address: "10.8.0.10", state: "ours" },
        { node: "worker-1", address: "10.8.0.20", state: "ours" },
      ],
    });
    expect(await readFile(adoption.file, "utf8")).toBe(await original("secrets.yaml"));
    expect((await stat(adoption.file)).mode & 0o777).toBe(0o600);
    const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
    const { plan } = await planFleet(request, world("asked"));
    expect(plan.changes.map((change) => change.node.id)).toEqual(["lab/cluster/access"]);
  });

  test("a secrets file is copied, found again, and never replaced", async () => {
    const from = { secrets: await original("secrets.yaml"), file: "secrets.yaml" };
    expect(await adopt("copied", from)).toMatchObject({ isNew: true });
    expect(await adopt("copied", from)).toMatchObject({ isNew: false, nodes: [{ state: "ours" }, {}] });
    const other = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
    await expect(adopt("copied", { secrets: writeBundle(other), file: "other.yaml" })).rejects.toMatchObject({
      code: "SECRETS_KEPT",
    });
    expect(await readFile(path.join(folder, "copied/lab/secrets.yaml"), "utf8")).toBe(from.secrets);
    expect(await adopt("others", { secrets: writeBundle(other), file: "other.yaml" })).toMatchObject({
      nodes: [{ state: "other-cluster" }, { state: "other-cluster" }],
    });
  });

  test("a worker, a stranger, a reader and a silent address give no secrets, and say why", async () => {
    const talosconfig = await original("talosconfig");
    const file = "talosconfig";
    const unreachable = adopt("none", { talosconfig, file, node: "10.8.0.77" });
    await expect(unreachable).rejects.toMatchObject({ code: "TALOS_UNREACHABLE" });
    const worker = adopt("none", { talosconfig, file, node: "10.8.0.20" });
    await expect(worker).rejects.toMatchObject({ code: "SECRETS_NOT_IN_CONFIG" });
    const stranger = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
    const contextOf = async (bundle: typeof stranger, roles?: string[]) =>
      writeTalosconfig(
        { cluster: "lab", endpoints: ["10.8.0.10"] },
        bundle.os.cert,
        await issueTalosClient(bundle, { clock: realClock, random: realRandom }, roles),
      );
    await expect(adopt("none", { talosconfig: await contextOf(stranger), file })).rejects.toMatchObject({
      code: "TALOS_UNTRUSTED",
    });
    const ours = parseBundle(await original("secrets.yaml"), "secrets.yaml");
    const reader = adopt("none", { talosconfig: await contextOf(ours, ["os:reader"]), file });
    await expect(reader).rejects.toMatchObject({ code: "TALOS_DENIED" });
    await expect(stat(path.join(folder, "none"))).rejects.toThrowError(/ENOENT/);
  });

  test("a damaged secrets file or talosconfig is refused with what is wrong in it", async () => {
    await expect(adopt("none", { secrets: "cluster: {}", file: "s.yaml" })).rejects.toMatchObject({
      code: "SECRETS_DAMAGED",
    });
    for (const [text, why] of [
      ["context: [", /line 1/],
      ["context: a\ncontexts: {}", /"a" is not in it/],
      ["context: a\ncontexts: { a: { ca: x, crt: y } }", /"contexts.a.key"/],
      ["context: a\ncontexts: { a: { ca: x, crt: y, key: z } }", /names no endpoint/],
    ] as const)
      await expect(adopt("none", { talosconfig: text, file: "t" })).rejects.toThrowError(why);
  });
});
