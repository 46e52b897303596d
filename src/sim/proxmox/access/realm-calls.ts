import { createHash } from "node:crypto";
import { refusal, under } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import { splitList } from "../parameters/formats.ts";
import type { ConfigValue } from "../state.ts";

type Realm = Record<string, ConfigValue>;

/** Those every cluster has; what is taken away of them comes back. */
const builtIn: Record<string, Realm> = {
  pam: { type: "pam", comment: "Linux PAM standard authentication" },
  pve: { type: "pve", comment: "Proxmox VE authentication server" },
};

/** Where the accounts of a user's realm are kept, by its name. */
export const realmsOf = (cluster: Cluster): Record<string, Realm> => ({
  ...builtIn,
  ...cluster.state.realms,
});

/** What a realm of a type cannot do without. */
const required: Record<string, readonly string[]> = {
  ad: ["server1", "domain"],
  ldap: ["server1", "base_dn", "user_attr"],
  openid: ["issuer-url", "client-id"],
};

/** Told of every realm; the rest is for those who may look closer. */
const shown = ["type", "comment", "default"] as const;

export const realmCalls: Handlers<
  | "GET /access/domains"
  | "POST /access/domains"
  | "GET /access/domains/{realm}"
  | "PUT /access/domains/{realm}"
  | "DELETE /access/domains/{realm}"
> = {
  "GET /access/domains": ({ cluster }) =>
    Object.entries(realmsOf(cluster)).map(([realm, settings]) => ({
      realm,
      ...Object.fromEntries(shown.map((key) => [key, settings[key]])),
    })),

  "GET /access/domains/{realm}": ({ cluster }, { realm }) => ({
    ...demandRealm(cluster, realm, "domain"),
    digest: digestOf(cluster),
  }),

  "POST /access/domains": ({ cluster }, { realm, password: _password, ...settings }) =>
    under("add auth server failed", () => {
      const { type } = settings;
      if (realmsOf(cluster)[realm]) throw refusal(`domain '${realm}' already exists`);
      const fields = required[type];
      if (!fields) throw refusal(`unable to create builtin type '${type}'`);
      const given = settingsIn(settings);
      const missing = fields.find((key) => given[key] === undefined);
      if (missing !== undefined) throw refusal(`missing value for required option '${missing}'`);
      keep(cluster, realm, given);
    }),

  "PUT /access/domains/{realm}": ({ cluster }, params) =>
    under("update auth server failed", () => {
      const { realm, digest, delete: removed = "", password: _password, ...changes } = params;
      if (digest && digest !== digestOf(cluster)) {
        throw refusal("detected modified configuration - file changed by other user? Try again.");
      }
      const before = demandRealm(cluster, realm, "domain");
      const given = settingsIn(changes);
      if (removed === "" && Object.keys(given).length === 0) throw refusal("no options specified");
      const gone = splitList(removed);
      const stays = Object.entries(before).filter(([key]) => !gone.includes(key));
      keep(cluster, realm, { ...Object.fromEntries(stays), ...given });
    }),

  "DELETE /access/domains/{realm}": ({ cluster }, { realm }) =>
    under("delete auth server failed", () => {
      demandRealm(cluster, realm, "authentication domain");
      const { [realm]: _removed, ...others } = cluster.state.realms ?? {};
      cluster.state.realms = others;
      cluster.changed();
    }),
};

function demandRealm(cluster: Cluster, realm: string, what: string): Realm {
  const found = realmsOf(cluster)[realm];
  if (!found) throw refusal(`${what} '${realm}' does not exist`);
  return found;
}

const digestOf = (cluster: Cluster): string =>
  createHash("sha1")
    .update(JSON.stringify(realmsOf(cluster)))
    .digest("hex");

const settingsIn = (params: Record<string, unknown>): Realm =>
  Object.fromEntries(
    Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, typeof value === "boolean" ? Number(value) : (value as ConfigValue)]),
  );

/** Only one realm is offered first at log-in. */
function keep(cluster: Cluster, realm: string, settings: Realm): void {
  const all = { ...realmsOf(cluster), [realm]: settings };
  const { default: isDefault } = settings;
  cluster.state.realms = Object.fromEntries(
    Object.entries(all).map(([name, { default: before, ...rest }]) => [
      name,
      {
        ...rest,
        ...(isDefault ? name === realm && { default: 1 } : before !== undefined && { default: before }),
      },
    ]),
  );
  cluster.changed();
}
