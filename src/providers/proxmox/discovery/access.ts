import {
  connectProxmox,
  loginProxmox,
  type ProxmoxReads,
  type ProxmoxSession,
} from "../../../clients/proxmox/index.ts";
import type { CallTrace, Clock, Dial, Trust } from "../../../lib/index.ts";
import type { Asking, DiscoveredAccess, MadeAccess } from "../../../plan/index.ts";
import type { Fleet } from "../../../spec/index.ts";
import { tokenThere } from "../errors.ts";
import type { FoundNode } from "./read-node.ts";

export interface DiscoveryWorld {
  dial: Dial;
  clock: Clock;
  calls: CallTrace;
  /** A variable of the user's environment. */
  variable(name: string): Promise<string | undefined>;
  /** Makes the account that a file needs, and gives back what was made and the secret of its token. */
  grant(fleet: Fleet, session: ProxmoxSession): Promise<{ made: string[]; secret?: string | undefined }>;
}

interface Server {
  url: string;
  trust: Trust;
}

/** Who we are at a server while it is read, and what the file says about it. */
export interface Access {
  reads: ProxmoxReads;
  /** Lines of a host in the file, beside its storages. */
  fields(node: FoundNode): string[];
  make?: DiscoveredAccess | undefined;
  close(): void;
}

const ownToken = "slipway@pve!main";
const variableName = "PVE_TOKEN";
/** In the folder that git leaves out, and as readable as the other secrets there. */
const tokenFile = ".slipway/proxmox.token";

/**
 * With a token from the environment, one that is typed, or one that is made when the file is agreed to: until then a
 * person's own session reads.
 */
export async function askAccess(world: DiscoveryWorld, server: Server, asking: Asking): Promise<Access> {
  const variable = await asking.ask({
    key: "token-env",
    text: "Variable that holds the secret of the API token",
    proposal: variableName,
    isQuiet: true,
    refuse: (answer) => (/^[A-Za-z_]\w*$/.test(answer) ? undefined : "is not the name of a variable"),
  });
  const secret = await world.variable(variable);
  if (secret !== undefined) {
    const id = await askTokenId(asking, ownToken, `Id of the API token in $${variable}`);
    return withToken(
      world,
      server,
      { id, secret },
      `{ env: ${variable} } # read from $${variable} when needed`,
    );
  }
  const account = await asking.ask({
    key: "account",
    text: "API token",
    proposal: "make",
    choices: [
      {
        value: "make",
        label: "make an account for Slipway with just the rights it needs (asks for a password once)",
      },
      { value: "have", label: "there is one: type its id and its secret" },
    ],
  });
  return account === "make" ? asPerson(world, server, asking) : withTypedToken(world, server, asking);
}

const askTokenId = (asking: Asking, proposal: string, text: string, isQuiet = false): Promise<string> =>
  asking.ask({
    ...{ key: "token-id", text, proposal, isQuiet },
    refuse: (answer) =>
      /^[^\s!@]+@[^\s!@]+![A-Za-z][\w.-]+$/.test(answer) ? undefined : `is not an id like ${ownToken}`,
  });

function fieldsFor({ url, trust }: Server, id: string, secret: string): Access["fields"] {
  return () => [
    `url: ${url}`,
    "token:",
    `  id: ${id}`,
    `  secret: ${secret}`,
    ...("fingerprint" in trust ? [`tls: { fingerprint: "${trust.fingerprint}" } # compared by you`] : []),
  ];
}

function withToken(
  { dial, clock, calls }: DiscoveryWorld,
  server: Server,
  token: { id: string; secret: string },
  secret: string,
  make?: DiscoveredAccess,
): Access {
  const client = connectProxmox({ ...server, token, dial, clock, calls });
  return { reads: client, fields: fieldsFor(server, token.id, secret), make, close: () => client.close() };
}

const secretLine = `{ file: ${tokenFile} } # readable by you alone, and not in git`;
const asFile = (secret: string): MadeAccess["files"] => [{ name: tokenFile, text: `${secret}\n` }];

async function withTypedToken(world: DiscoveryWorld, server: Server, asking: Asking): Promise<Access> {
  const id = await askTokenId(asking, ownToken, "Id of the API token");
  const secret = await asking.ask({ key: "token-secret", text: "Its secret", isSecret: true });
  return withToken(world, server, { id, secret }, secretLine, {
    what: `the token's secret into ${tokenFile}`,
    make: async () => ({ made: [], files: asFile(secret) }),
  });
}

async function asPerson(world: DiscoveryWorld, server: Server, asking: Asking): Promise<Access> {
  const { dial, clock, calls } = world;
  const user = await asking.ask({
    ...{ key: "user", text: "Who may make accounts there", proposal: "root@pam", isQuiet: true },
    refuse: (answer) => (/^[^\s@]+@[^\s@]+$/.test(answer) ? undefined : "is not a user like root@pam"),
  });
  const password = await asking.ask({ key: "password", text: `Password of ${user}`, isSecret: true });
  const session = await loginProxmox({ ...server, dial, clock, calls, user, password }, asking.signal);
  try {
    const id = await freeToken(session, asking);
    const make = async (fleet: Fleet): Promise<MadeAccess> => {
      const { made, secret } = await world.grant(fleet, session);
      if (secret === undefined) throw tokenThere(id);
      return { made, files: asFile(secret) };
    };
    return {
      reads: session,
      fields: fieldsFor(server, id, secretLine),
      make: { what: `user, role and token ${id} on Proxmox, its secret into ${tokenFile}`, make },
      close: () => session.close(),
    };
  } catch (thrown) {
    session.close();
    throw thrown;
  }
}

/** Proxmox shows the secret of a token once, so one that is there is of no use. */
async function freeToken(session: ProxmoxSession, asking: Asking): Promise<string> {
  const [owner = "", name = ""] = ownToken.split("!");
  const users = await session.users(asking.signal);
  const tokens = async (user: string) =>
    users.includes(user) ? await session.tokens(user, asking.signal) : new Map<string, unknown>();
  const own = await tokens(owner);
  let free = name;
  for (let number = 2; own.has(free); number++) free = `${name}-${number}`;
  const id = await askTokenId(asking, `${owner}!${free}`, "Id of the new API token", true);
  const [user = "", wanted = ""] = id.split("!");
  if ((await tokens(user)).has(wanted)) throw tokenThere(id);
  return id;
}
