import { SlipwayError } from "../../../errors/index.ts";
import { asFields, asRecords, asText } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { AccessRule } from "./access.ts";

/** Changing and removing what `AccessCalls` makes. */
export interface AccountCalls {
  /** Undefined when there is no such user, or none the caller may see. */
  userComment(user: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Exactly these, whatever the role held before. */
  setRole(name: string, privileges: string[], signal?: AbortSignal): Promise<void>;
  /** Gives the new secret; the old one is worth nothing any more. Proxmox 9 and later. */
  renewToken(user: string, name: string, signal?: AbortSignal): Promise<string>;
  dropToken(user: string, name: string, signal?: AbortSignal): Promise<void>;
  dropAccessRule(rule: AccessRule, signal?: AbortSignal): Promise<void>;
  /** Ends well when it is gone already. */
  dropRole(name: string, signal?: AbortSignal): Promise<void>;
  /** With its tokens. Ends well when it is gone already. */
  dropUser(user: string, signal?: AbortSignal): Promise<void>;
}

export const accountCalls = (call: Call): AccountCalls => ({
  userComment: async (user, signal) => {
    const all = asRecords(await call("GET /access/users", "list users", {}, signal));
    const found = all.find((each) => each["userid"] === user);
    return found && asText(found["comment"]);
  },

  setRole: async (name, privileges, signal) => {
    const params = { roleid: name, privs: privileges.join(",") };
    await call("PUT /access/roles/{roleid}", `change role ${name}`, params, signal);
  },

  renewToken: async (user, name, signal) => {
    const params = { userid: user, tokenid: name, regenerate: true };
    const doing = `renew token ${user}!${name}`;
    const data = await call("PUT /access/users/{userid}/token/{tokenid}", doing, params, signal);
    return asText(asFields(data)["value"]);
  },

  dropToken: async (user, name, signal) => {
    const params = { userid: user, tokenid: name };
    await call(
      "DELETE /access/users/{userid}/token/{tokenid}",
      `remove token ${user}!${name}`,
      params,
      signal,
    );
  },

  dropAccessRule: async ({ path, role, kind, holder }, signal) => {
    const doing = `take the role ${role} on ${path} from ${holder}`;
    const params = { path, roles: role, [`${kind}s`]: holder, delete: true };
    await call("PUT /access/acl", doing, params, signal);
  },

  dropRole: (name, signal) =>
    unlessGone(() => call("DELETE /access/roles/{roleid}", `remove role ${name}`, { roleid: name }, signal)),

  dropUser: (user, signal) =>
    unlessGone(() => call("DELETE /access/users/{userid}", `remove user ${user}`, { userid: user }, signal)),
});

async function unlessGone(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_NOT_FOUND") throw thrown;
  }
}
