import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { parseBundle, secretStore, type AgeKeys } from "../../src/secrets/index.ts";
import { realClock, realRandom } from "../../src/lib/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/rehearsal-site.ts";

const fileFor = (encryption: string, recipient: string) => `version: 1
secrets: { encryption: ${encryption}, recipients: [${recipient}] }
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
clusters:
  vault:
    cloudAccount: true
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`;

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
    expect(refused.ending.exitCode).toBe(1);
    expect(errorsIn(refused.events).join()).toContain("SECRETS_LOCKED_OUT");
    expect(site.machines()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);

    person.hasKey = true;
    const first = await site.up(fleet);
    expect(errorsIn(first.events)).toEqual([]);
    const kept = (await readdir(folder, { recursive: true })).filter((name) => name !== "nodes").toSorted();
    expect(kept).toEqual(["kubeconfig", account, bundle, "talosconfig"].toSorted());
    for (const name of kept) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await site.up(fleet)).ending.outcome).toBe("unchanged");

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
    expect(locked.ending.exitCode).toBe(1);
    expect(errorsIn(locked.events).join()).toContain("SECRETS_LOCKED");
    expect(await readFile(path.join(folder, bundle), "utf8")).toBe(before);
    expect(() => parseBundle(before, "file")).toThrowError();
  },
);
