import { readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { parseBundle, secretStore, type AgeKeys } from "../../src/secrets/index.ts";
import { realClock, realRandom } from "../../src/lib/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { labFile } from "../support/lab-file.ts";

const fileFor = (encryption: string, recipient: string) =>
  labFile(
    `  vault:
    cloudAccount: true
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`,
    { before: `secrets: { encryption: ${encryption}, recipients: [${recipient}] }\n` },
  );

/** The key of the person at the keyboard, who may lose it. */
async function newPerson() {
  const identity = await generateIdentity();
  const person = { recipient: await identityToRecipient(identity), hasKey: true };
  const keys: AgeKeys = {
    places: ["$SOPS_AGE_KEY"],
    async *identities() {
      if (person.hasKey) yield identity;
    },
  };
  return Object.assign(person, { keys });
}

test.each([
  ["age", "secrets.yaml.age", "proxmox-account.yaml.age"],
  ["sops", "secrets.sops.yaml", "proxmox-account.sops.yaml"],
])(
  "with %s a cluster comes up, is found again, and stays as it is without the key",
  async (how, bundle, account) => {
    const person = await newPerson();
    const fleet = fleetOf(fileFor(how, person.recipient));
    await using site = await rehearsalSite(fleet, { keys: person.keys });
    const folder = path.join(site.folder, "vault");

    person.hasKey = false;
    const refused = await site.up(fleet);
    expect(refused.runReport.exitCode).toBe(1);
    expect(errorsIn(refused.events).join()).toContain("SECRETS_LOCKED_OUT");
    expect(site.machines()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);

    person.hasKey = true;
    const first = await site.up(fleet);
    expect(errorsIn(first.events)).toEqual([]);
    const kept = (await readdir(folder, { recursive: true })).filter((name) => name !== "nodes").toSorted();
    expect(kept).toEqual(["kubeconfig", account, bundle, "talosconfig"].toSorted());
    for (const name of kept) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");

    const world = site.rehearsal.world(new AbortController().signal, () => {});
    const store = secretStore({ ...world, files: world.secretFiles, clock: realClock, random: realRandom });
    const secret = (await store.find("vault"))?.clusterSecret ?? "";
    expect(secret).not.toBe("");
    const runs = await readdir(path.join(site.folder, "runs")).catch((): string[] => []);
    for (const name of [path.join("vault", bundle), ...runs.map((run) => path.join("runs", run))])
      expect(await readFile(path.join(site.folder, name), "utf8")).not.toContain(secret);
    expect(JSON.stringify(first.events)).not.toContain(secret);

    person.hasKey = false;
    const before = await readFile(path.join(folder, bundle), "utf8");
    const locked = await site.up(fleet);
    expect(locked.runReport.exitCode).toBe(1);
    expect(errorsIn(locked.events).join()).toContain("SECRETS_LOCKED");
    expect(await readFile(path.join(folder, bundle), "utf8")).toBe(before);
    expect(() => parseBundle(before, "file")).toThrowError(/SECRETS|secrets/);
  },
);

test("secrets whose file is lost are read back from the running cluster, and kept as the file says", async () => {
  const person = await newPerson();
  const fleet = fleetOf(fileFor("sops", person.recipient));
  await using site = await rehearsalSite(fleet, { keys: person.keys });
  const folder = path.join(site.folder, "vault");
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const store = secretStore({ ...world, files: world.secretFiles, clock: realClock, random: realRandom });
  const before = await store.find("vault");

  await rm(path.join(folder, "secrets.sops.yaml"));
  const plan = await site.plan(fleet);
  expect(plan.changes.map((change) => `${change.action} ${change.node.name}`)).toEqual(["update secrets"]);
  await expect(readFile(path.join(folder, "secrets.sops.yaml"))).rejects.toThrowError(/ENOENT/);
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
  expect(await store.find("vault")).toEqual(before);
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
});

test("no secrets are made anew over a cluster that was switched off", { timeout: 600_000 }, async () => {
  const person = await newPerson();
  const fleet = fleetOf(fileFor("age", person.recipient));
  await using site = await rehearsalSite(fleet, { keys: person.keys });
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
  const [host] = fleet.hosts.filter(isProxmoxHost);
  const stop = new AbortController().signal;
  const client = host && (await site.rehearsal.world(stop, () => {}).openProxmox(host));
  const [vmid = 0] = site.machines();
  await (await client?.stopMachine({ node: host?.proxmox.node ?? "", vmid }, stop))?.wait(stop);
  await rm(path.join(site.folder, "vault"), { recursive: true });
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join()).toContain("SECRETS_LOST");
  const left = await readdir(path.join(site.folder, "vault"), { recursive: true }).catch((): string[] => []);
  expect(left.filter((name) => name.startsWith("secrets"))).toEqual([]);
});
