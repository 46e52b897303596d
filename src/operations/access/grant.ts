import type { AccessRule, ProxmoxSession } from "../../clients/proxmox/index.ts";
import {
  checkedRights,
  grantCommands,
  groupByServer,
  rolesOf,
  type NeededRole,
  type ProxmoxLine,
} from "../../providers/proxmox/index.ts";
import {
  isProxmoxHost,
  type Cluster,
  type Fleet,
  type ProxmoxHost,
  type SecretRef,
} from "../../spec/index.ts";
import { unknownHost } from "../fleet/errors.ts";

/** One account on one Proxmox server, and the hosts of the file it works on. */
export interface Account {
  url: string;
  hosts: ProxmoxHost[];
  clusters: Cluster[];
  user: string;
  /** Without its user. */
  tokenName: string;
  /** Where the file looks for the token's secret. */
  secret: SecretRef;
  /** Leaves out the right to delete files, which reaches everything on the storage of the images. */
  keepsImages?: boolean;
}

export interface Granted {
  url: string;
  hosts: string[];
  version: string;
  token: string;
  /** What was not there before, in the order it was made. */
  made: string[];
  /** Of a token that did not exist; it cannot be asked for again. */
  secret?: string | undefined;
}

const comment = "made by slipway proxmox grant";
/** It has every right on everything, so its tokens are given only what they need. */
const root = "root@pam";

/** The accounts of a file: hosts with one URL and one token share theirs. */
export function accountsOf(fleet: Fleet, name?: string, keepsImages = false): Account[] {
  const proxmox = fleet.hosts.filter(isProxmoxHost);
  const known = proxmox.map((host) => host.name);
  if (name !== undefined && !known.includes(name)) throw unknownHost(name, known);
  return groupByServer(proxmox)
    .filter((hosts) => name === undefined || hosts.some((host) => host.name === name))
    .flatMap((hosts) => {
      const [first] = hosts;
      if (!first) return [];
      const { url, token } = first.proxmox;
      const [user = "", tokenName = ""] = token.id.split("!");
      const { secret } = token;
      return [{ url, hosts, clusters: fleet.clusters, user, tokenName, secret, keepsImages }];
    });
}

type Zones = ReadonlyMap<string, string>;

function needsOf(account: Account, line: ProxmoxLine, zones: Zones = new Map()): NeededRole[] {
  const { hosts, clusters } = account;
  const all = hosts.flatMap((host) =>
    clusters
      .filter((cluster) => cluster.on.includes(host.name))
      .flatMap((cluster) => {
        const nodes = cluster.nodes.filter((node) => node.host === undefined || node.host === host.name);
        const zoneOf = (bridge: string) => zones.get(bridge);
        return checkedRights({ cluster, host, nodes: nodes.map((node) => ({ node })), line, zoneOf });
      }),
  );
  return account.keepsImages ? all.map(({ wishes: _deletion, ...need }) => need) : all;
}

/** So that the commands can be run again: what exists is left as it is. */
const unlessListed = (list: string, entry: string, make: string): string =>
  `pveum ${list} --output-format json | grep -q '${entry}' || pveum ${make}`;

/** The same by hand: commands for a shell on the Proxmox node, safe to run again. Nothing is asked. */
export function printedGrant(account: Account): string[] {
  const { url, hosts, user, tokenName } = account;
  const isRoot = user === root;
  const needs = needsOf(account, 9);
  const isOther8 = JSON.stringify(needs) !== JSON.stringify(needsOf(account, 8));
  return [
    `# ${url} (${hosts.map((host) => host.name).join(", ")}): as root on any node of it`,
    ...(isOther8 ? ["# Proxmox VE 8 knows VM.GuestAgent.Audit as VM.Monitor"] : []),
    ...(isRoot
      ? []
      : [unlessListed("user list", `"userid":"${user}"`, `user add ${user} --comment "${comment}"`)]),
    unlessListed(
      `user token list ${user}`,
      `"tokenid":"${tokenName}"`,
      `user token add ${user} ${tokenName} --privsep ${isRoot ? 1 : 0} --comment "${comment}"`,
    ),
    ...grantCommands(needs, isRoot ? { user, token: `${user}!${tokenName}` } : { user }),
  ];
}

/** Makes what is missing of an account, and takes nothing away. Safe to run again. */
export async function grantRights(
  account: Account,
  session: ProxmoxSession,
  signal: AbortSignal,
): Promise<Granted> {
  const { url, hosts, user, tokenName } = account;
  const [version, zones] = await Promise.all([session.version(signal), session.vnetZones(signal)]);
  const needs = needsOf(account, version.startsWith("8.") ? 8 : 9, zones);
  const made = await extendRoles(needs, session, signal);
  if (user !== root && !(await session.users(signal)).includes(user)) {
    await session.addUser(user, comment, signal);
    made.push(`user ${user}`);
  }
  const token = `${user}!${tokenName}`;
  const existing = (await session.tokens(user, signal)).get(tokenName);
  const isSeparate = existing?.isSeparate ?? user === root;
  const secret = existing
    ? undefined
    : await session.addToken(user, tokenName, { comment, isSeparate }, signal);
  if (secret !== undefined) made.push(`token ${token}`);
  made.push(...(await addRules(needs, holders(user, token, isSeparate), session, signal)));
  return {
    url,
    hosts: hosts.map((host) => host.name),
    version,
    token,
    made,
    secret,
  };
}

type Held = Pick<AccessRule, "kind" | "holder">;

/** A separate token has what it and its user both have. */
const holders = (user: string, token: string, isSeparate: boolean): Held[] => [
  ...(user === root ? [] : [{ kind: "user" as const, holder: user }]),
  ...(isSeparate ? [{ kind: "token" as const, holder: token }] : []),
];

async function extendRoles(
  needs: NeededRole[],
  session: ProxmoxSession,
  signal: AbortSignal,
): Promise<string[]> {
  const known = await session.roles(signal);
  const made: string[] = [];
  for (const [role, rights] of rolesOf(needs)) {
    const held = known.get(role);
    const lacking = rights.filter((right) => !held?.has(right));
    if (lacking.length === 0) continue;
    if (held) await session.extendRole(role, lacking, signal);
    else await session.addRole(role, rights, signal);
    made.push(`${held ? "in role" : "role"} ${role}: ${lacking.join(", ")}`);
  }
  return made;
}

async function addRules(
  needs: NeededRole[],
  held: Held[],
  session: ProxmoxSession,
  signal: AbortSignal,
): Promise<string[]> {
  const known = await session.accessRules(signal);
  const rules = needs.flatMap(({ grantAt, role, isLocal }) =>
    held.map((who): AccessRule => ({ path: grantAt, role, ...who, isPropagated: isLocal !== true })),
  );
  const keyOf = (rule: AccessRule): string => `${rule.path} ${rule.role} ${rule.holder}`;
  const missing = new Map(rules.map((rule) => [keyOf(rule), rule]));
  for (const rule of known) if (!isNarrower(rule, missing.get(keyOf(rule)))) missing.delete(keyOf(rule));
  // One after the other: they all change one file of the Proxmox cluster.
  for (const rule of missing.values()) await session.addAccessRule(rule, signal);
  return [...missing.values()].map((rule) => `rule ${rule.path}: ${rule.role} for ${rule.holder}`);
}

const isNarrower = (have: AccessRule, want: AccessRule | undefined): boolean =>
  want?.isPropagated === true && !have.isPropagated;
