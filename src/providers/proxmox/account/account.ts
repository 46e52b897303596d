import { SlipwayError } from "../../../errors/index.ts";
import type { AccessRule, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { defineResource, type ReadContext, type StepContext } from "../../../plan/index.ts";
import type { AccountStore } from "../../../secrets/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import {
  accountComment,
  accountRights,
  accountRole,
  accountToken,
  accountUser,
  compareAccount,
  type AccountHave,
  type AccountWant,
} from "./account-want.ts";
import { foreignAccount } from "../errors.ts";
import type { HostRegistry } from "../host-registry.ts";

export interface AccountParts {
  registry: HostRegistry;
  store: AccountStore;
  connectAs(host: ProxmoxHost, token: { id: string; secret: string }): Promise<ProxmoxClient>;
}

/** A role, a user and a token of the cluster's own; the secret is told once, and kept in the cluster's folder. */
export const proxmoxAccount = (parts: AccountParts) =>
  defineResource<AccountWant, AccountHave>({
    kind: "proxmox/account",
    face: ({ host = "" }) => ({
      label: "Proxmox account",
      planLine: {
        counted: "account",
        name: host,
        before: "in Proxmox on ",
        after: ", for the cluster itself",
      },
    }),
    async read(ctx, want) {
      const found = await readAccount(ctx, parts, await parts.registry.client(want.host), want);
      return found ?? (want.isUnwanted ? leftOf(parts, want) : undefined);
    },
    compare: compareAccount,
    create: (ctx, want) => ensure(ctx, parts, want),
    update: async (ctx, want, have) => {
      if (!want.isUnwanted) return ensure(ctx, parts, want);
      await removeAccount(ctx, parts, have);
      return have;
    },
    remove: (ctx, have) => removeAccount(ctx, parts, have),
    out: (have) => ({ user: accountUser(have.cluster), file: parts.store.fileOf(have.cluster) }),
  });

/** Of an account that Proxmox does not know any more: perhaps its line in the file. */
async function leftOf({ store }: AccountParts, want: AccountWant): Promise<AccountHave> {
  const { cluster, host, url } = want;
  const isKept = (await store.find(cluster)).some((account) => account.url === url);
  const nothing = { line: 9, hasRule: false, hasToken: false, isKeptGood: false } as const;
  return { cluster, host, url, ...nothing, isGone: isKept ? undefined : true };
}

const ruleOf = (cluster: string): AccessRule => ({
  path: "/",
  role: accountRole(cluster),
  kind: "user",
  holder: accountUser(cluster),
  isPropagated: true,
});

/** The user carries the mark; without it nothing of the account counts as ours. */
async function readAccount(
  ctx: ReadContext,
  parts: AccountParts,
  client: ProxmoxClient,
  want: Pick<AccountWant, "cluster" | "host" | "url">,
): Promise<AccountHave | undefined> {
  const { cluster, host, url } = want;
  const [user, role] = [accountUser(cluster), accountRole(cluster)];
  const comment = await client.userComment(user, ctx.signal);
  const roles = await client.roles(ctx.signal);
  if (comment === undefined) {
    if (roles.has(role))
      throw foreignAccount({ cluster, what: `role "${role}"`, why: "no user of this cluster holds it" });
    return undefined;
  }
  if (comment !== accountComment(cluster))
    throw foreignAccount({ cluster, what: `user "${user}"`, why: "its comment is not Slipway's" });
  const [version, rules, tokens] = await Promise.all([
    client.version(ctx.signal),
    client.accessRules(ctx.signal),
    client.tokens(user, ctx.signal),
  ]);
  const wanted = ruleOf(cluster);
  const kept = (await parts.store.find(cluster)).find((account) => account.url === url);
  const hasToken = tokens.has(accountToken);
  return {
    cluster,
    host,
    url,
    line: version.startsWith("8.") ? 8 : 9,
    privileges: roles.has(role) ? [...(roles.get(role) ?? [])] : undefined,
    hasRule: rules.some(
      (rule) =>
        rule.path === "/" && rule.role === wanted.role && rule.holder === wanted.holder && rule.isPropagated,
    ),
    hasToken,
    kept: kept && { region: kept.region, insecure: kept.insecure },
    isKeptGood:
      kept !== undefined &&
      hasToken &&
      (await isAccepted(ctx, parts, host, { id: kept.token_id, secret: kept.token_secret })),
  };
}

async function isAccepted(
  ctx: ReadContext,
  parts: AccountParts,
  host: string,
  token: { id: string; secret: string },
): Promise<boolean> {
  const client = await parts.connectAs(parts.registry.host(host), token);
  try {
    await client.version(ctx.signal);
    return true;
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_LOGIN_REFUSED") return false;
    throw thrown;
  } finally {
    client.close();
  }
}

/** The user first, because it carries the mark; each part is left out when an earlier run has done it. */
async function ensure(ctx: StepContext, parts: AccountParts, want: AccountWant): Promise<AccountHave> {
  const client = await parts.registry.client(want.host);
  const { cluster } = want;
  const [user, role, comment] = [accountUser(cluster), accountRole(cluster), accountComment(cluster)];
  if (!(await readAccount(ctx, parts, client, want))) await client.addUser(user, comment, ctx.signal);
  const found = await readAccount(ctx, parts, client, want);
  if (!found) throw new Error(`user ${user} is not there after it was created`);
  const rights = accountRights(found.line);
  if (!found.privileges) await client.addRole(role, rights, ctx.signal);
  else if (found.privileges.toSorted().join() !== rights.join())
    await client.setRole(role, rights, ctx.signal);
  if (!found.hasRule) await client.addAccessRule(ruleOf(cluster), ctx.signal);
  await keepToken(ctx, parts, client, want, found);
  const have = await readAccount(ctx, parts, client, want);
  if (!have) throw new Error(`user ${user} vanished while it was set up`);
  return have;
}

async function keepToken(
  ctx: StepContext,
  parts: AccountParts,
  client: ProxmoxClient,
  want: AccountWant,
  found: AccountHave,
): Promise<void> {
  const { cluster, url, region, isInsecure: insecure } = want;
  const old = (await parts.store.find(cluster)).find((account) => account.url === url);
  const isUsable = found.isKeptGood && !want.isRotated;
  const secret = isUsable && old ? old.token_secret : await newSecret(ctx, client, found);
  const token_id = `${accountUser(cluster)}!${accountToken}`;
  await parts.store.keep(cluster, { url, insecure, token_id, token_secret: secret, region });
}

/** The token has the rights of its user, who has no others than these. */
async function newSecret(ctx: StepContext, client: ProxmoxClient, found: AccountHave): Promise<string> {
  const user = accountUser(found.cluster);
  if (found.hasToken && found.line === 9) return client.renewToken(user, accountToken, ctx.signal);
  if (found.hasToken) await client.dropToken(user, accountToken, ctx.signal);
  const token = { comment: accountComment(found.cluster), isSeparate: false };
  return client.addToken(user, accountToken, token, ctx.signal);
}

/** The user goes last: with the mark on it a later run finds what is left. */
async function removeAccount(ctx: StepContext, parts: AccountParts, have: AccountHave): Promise<void> {
  const client = await parts.registry.client(have.host);
  if (have.hasRule) await client.dropAccessRule(ruleOf(have.cluster), ctx.signal);
  await client.dropRole(accountRole(have.cluster), ctx.signal);
  await client.dropUser(accountUser(have.cluster), ctx.signal);
  await parts.store.drop(have.cluster, have.url);
}
