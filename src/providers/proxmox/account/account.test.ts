import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { proxmoxSite, siteHost, type ProxmoxSite } from "../../../../test/support/proxmox/site.ts";
import { connectProxmox } from "../../../clients/proxmox/index.ts";
import { accountStore, type AccountStore } from "../../../secrets/index.ts";
import { accountRights, compareAccount, type AccountHave, type AccountWant } from "./account-want.ts";
import { proxmoxAccount } from "./account.ts";
import { hostRegistry } from "../host-registry.ts";

const one = siteHost("one", "pve1");
const want: AccountWant = {
  cluster: "lab",
  host: "one",
  url: "https://10.0.0.1:8006/api2/json",
  region: "basement",
  isInsecure: true,
};

interface AccountSite extends ProxmoxSite {
  account: ReturnType<typeof proxmoxAccount>;
  store: AccountStore;
  /** Whether Proxmox takes what the file says. */
  isTaken(): Promise<boolean>;
}

async function accountSite(version: "9.2" | "8.4"): Promise<AccountSite> {
  const site = await proxmoxSite({ version });
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-account-"));
  const store = accountStore(folder);
  const registry = hostRegistry([one], async () => site.client);
  const connectAs = async (_host: unknown, token: { id: string; secret: string }) =>
    connectProxmox({
      url: "https://10.0.0.1:8006",
      token,
      trust: { fingerprint: site.proxmox.fingerprint },
      dial: site.dial,
      clock: site.clock,
    });
  return Object.assign(site, {
    account: proxmoxAccount({ registry, store, connectAs }),
    store,
    async isTaken() {
      const [kept] = await store.find("lab");
      const client = await connectAs(one, { id: kept?.token_id ?? "", secret: kept?.token_secret ?? "" });
      try {
        return (await client.permissions("/")).get("/")?.has("VM.Audit") ?? false;
      } catch {
        return false;
      } finally {
        client.close();
      }
    },
    [Symbol.asyncDispose]: async () => {
      site.client.close();
      await site.proxmox.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

const versions = ["9.2", "8.4"] as const;
const secretOf = async (site: AccountSite): Promise<string> =>
  (await site.store.find("lab"))[0]?.token_secret ?? "";

test.each(versions)(
  "on Proxmox %s an account is made that can do what it must, and then nothing differs",
  async (version) => {
    await using site = await accountSite(version);
    expect(await site.account.read(site.ctx, want)).toBeUndefined();
    const have = await site.account.create(site.ctx, want);
    expect(have).toMatchObject({ hasRule: true, hasToken: true, isKeptGood: true });
    expect(JSON.stringify([have, site.account.out?.(have), site.log])).not.toContain(await secretOf(site));
    const roles = await site.client.roles();
    expect([...(roles.get("slipway-lab") ?? [])].toSorted()).toEqual(
      accountRights(version === "8.4" ? 8 : 9),
    );
    expect(await site.isTaken()).toBe(true);
    expect(compareAccount(want, (await site.account.read(site.ctx, want)) as AccountHave)).toEqual({
      same: true,
    });
    const file = site.store.fileOf("lab");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toMatch(
      /^clusters:\n +- url: https:\/\/10\.0\.0\.1:8006\/api2\/json\n +insecure: true\n +token_id: lab-slipway@pve!cloud\n +token_secret: [0-9a-f-]{36}\n +region: basement\n$/,
    );
  },
);

test.each(versions)(
  "on Proxmox %s a changed role is put right in place, and the token stays",
  async (version) => {
    await using site = await accountSite(version);
    await site.account.create(site.ctx, want);
    const before = await secretOf(site);
    await site.client.setRole("slipway-lab", ["VM.Audit", "VM.PowerMgmt"]);
    const have = (await site.account.read(site.ctx, want)) as AccountHave;
    expect(compareAccount(want, have)).toMatchObject({
      consequence: "hot",
      fields: [
        { field: "role", from: expect.stringMatching(/^lacks Datastore.*has VM.PowerMgmt too$/) as unknown },
      ],
    });
    const now = await site.account.update(site.ctx, want, have);
    expect(now.privileges?.toSorted()).toEqual(accountRights(version === "8.4" ? 8 : 9));
    expect(await secretOf(site)).toBe(before);
  },
);

test.each(versions)("on Proxmox %s a lost or refused secret means a token made anew", async (version) => {
  await using site = await accountSite(version);
  await site.account.create(site.ctx, want);
  const [kept] = await site.store.find("lab");
  if (!kept) throw new Error("nothing was kept");
  await site.store.keep("lab", { ...kept, token_secret: "00000000-0000-4000-8000-000000000000" });
  const refused = (await site.account.read(site.ctx, want)) as AccountHave;
  expect(compareAccount(want, refused)).toMatchObject({
    fields: [{ field: "token", from: "Proxmox refuses its secret", to: "replaced" }],
  });
  await rm(site.store.fileOf("lab"));
  const lost = (await site.account.read(site.ctx, want)) as AccountHave;
  expect(compareAccount(want, lost)).toMatchObject({
    fields: [{ field: "token", from: "its secret is not in the file", to: "replaced" }],
  });
  await site.account.update(site.ctx, want, lost);
  expect(await site.isTaken()).toBe(true);
  expect(await secretOf(site)).not.toBe(kept.token_secret);
});

test.each(versions)(
  "on Proxmox %s a rotated token is another one, and the old one is refused",
  async (version) => {
    await using site = await accountSite(version);
    const have = await site.account.create(site.ctx, want);
    const [old] = await site.store.find("lab");
    await site.account.update(site.ctx, { ...want, isRotated: true }, have);
    expect(await secretOf(site)).not.toBe(old?.token_secret);
    expect(await site.isTaken()).toBe(true);
    if (old) await site.store.keep("lab", old);
    expect(await site.isTaken()).toBe(false);
  },
);

test.each(versions)("on Proxmox %s nothing of it is left when it goes", async (version) => {
  await using site = await accountSite(version);
  const have = await site.account.create(site.ctx, want);
  await site.account.remove(site.ctx, have);
  expect(await site.account.read(site.ctx, want)).toBeUndefined();
  expect(await site.client.userComment("lab-slipway@pve")).toBeUndefined();
  expect((await site.client.accessRules()).filter((rule) => rule.holder.startsWith("lab-slipway"))).toEqual(
    [],
  );
  expect(await site.store.find("lab")).toEqual([]);
  await site.account.remove(site.ctx, { ...have, hasRule: false });
});

test("a user or role of the same name that somebody else made is refused", async () => {
  await using site = await accountSite("9.2");
  await site.client.addRole("slipway-lab", ["VM.Audit"]);
  await expect(site.account.read(site.ctx, want)).rejects.toMatchObject({ code: "PVE_FOREIGN_ACCOUNT" });
  await site.client.dropRole("slipway-lab");
  await site.client.addUser("lab-slipway@pve", "mine");
  await expect(site.account.create(site.ctx, want)).rejects.toMatchObject({ code: "PVE_FOREIGN_ACCOUNT" });
});

test("one file holds an account for every Proxmox, each under its URL", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-account-"));
  const store = accountStore(folder);
  const entry = { insecure: false, token_id: "lab-slipway@pve!cloud", token_secret: "s", region: "a" };
  await Promise.all([
    store.keep("lab", { ...entry, url: "https://b" }),
    store.keep("lab", { ...entry, url: "https://a" }),
  ]);
  expect((await store.find("lab")).map((account) => account.url)).toEqual(["https://a", "https://b"]);
  await store.drop("lab", "https://a");
  expect((await store.find("lab")).map((account) => account.url)).toEqual(["https://b"]);
  await rm(folder, { recursive: true });
});
