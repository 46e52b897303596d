import { criticalSettings, mismatches, type CriticalSettings } from "./critical-settings.ts";
import type { K3sCluster } from "./cluster.ts";
import { readDatabase, setDatabaseAside, type Database } from "./etcd/database.ts";
import { Fatal } from "./journal.ts";
import { preparing, type Life } from "./life.ts";
import { paths } from "./paths.ts";
import { ask, openAccess } from "./supervisor/client.ts";
import { newEncryption } from "./supervisor/encryption.ts";
import { hashOfToken, parseToken } from "./supervisor/token.ts";
import { ensureTrust, readTrust, writeTrust, type TrustFiles } from "./supervisor/trust.ts";

/** Where a server belongs. */
export interface Place {
  cluster: K3sCluster;
  /** The member it already is; otherwise it founds or has to be taken in. */
  memberId?: string;
  isFounder: boolean;
  /** As it has it since it started; the database may have another by now. */
  trust: TrustFiles;
  passwords: { server: string; agent: string };
}

/** What a server hands to one that joins. */
export interface Handover {
  cluster: string;
  trust: TrustFiles;
}

/** Comes back to the cluster its disk knows, joins the one it is pointed at, or founds one. */
export function takePlace(life: Life): Promise<Place> {
  const { host, journal, settings } = life;
  return preparing(async () => {
    const server = settings.text("server") ?? "";
    if (host.files.read(paths.tombstone) !== undefined) {
      if (server === "") throw new Error("tombstone file has been detected but --server is empty");
      journal.info("tombstone file has been detected, removing data dir to rejoin the cluster");
      setDatabaseAside(host);
    }
    const database = readDatabase(host);
    if (database !== undefined) return comeBack(life, database);
    const token = tokenOf(life, "token");
    // Without a token nobody joins; the real one does not even try, and runs for itself.
    return server === "" || token === undefined ? found(life) : join(life, server, token);
  });
}

async function found(life: Life): Promise<Place> {
  const { host, journal, settings, clusters } = life;
  const isAlone = !settings.isOn("cluster-init");
  if (!isAlone) journal.info("Managed etcd cluster initializing");
  const given = tokenOf(life, "token");
  const server = given === undefined ? host.random.bytes(16).toString("hex") : parseToken(given).password;
  const trust = await ensureTrust(host);
  const cluster = clusters.found(
    {
      id: host.random.bytes(8).toString("hex"),
      founder: life.node,
      members: [],
      isAlone,
      bootstrap: {
        tokenHash: hashOfToken(server),
        trust,
        critical: criticalSettings(settings),
        ...(settings.isOn("secrets-encryption") && { encryption: newEncryption() }),
      },
    },
    host.clock,
  );
  return { cluster, isFounder: true, trust, passwords: { server, agent: agentPassword(life, server) } };
}

async function join(life: Life, server: string, token: string): Promise<Place> {
  const { host, journal, settings, clusters, signal } = life;
  const access = await openAccess(life, server, token, "server");
  journal.info("Managed etcd cluster not yet initialized");
  try {
    const agent = await openAccess(life, server, tokenOf(life, "agent-token") ?? token, "node");
    const theirs = JSON.parse(await ask(host, agent, "/v1-k3s/config", signal)) as CriticalSettings;
    const different = mismatches(criticalSettings(settings), theirs);
    for (const place of different) journal.warn(`critical configuration mismatched: ${place}`);
    if (different.length > 0) throw new Error("critical configuration value mismatch between servers");
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`failed to validate server configuration: ${why}`, { cause: error });
  }
  const handed = JSON.parse(await ask(host, access, "/v1-k3s/server-bootstrap", signal)) as Handover;
  const cluster = clusters.find(handed.cluster, host.clock);
  if (cluster === undefined)
    throw new Error("no bootstrap data found in datastore - check server token value");
  journal.info("Reconciling bootstrap data between datastore and disk");
  checkTrust(life, handed.trust, []);
  const { password } = parseToken(token);
  const { trust } = handed;
  const passwords = { server: password, agent: agentPassword(life, password) };
  return { cluster, isFounder: false, trust, passwords };
}

function comeBack(life: Life, database: Database): Promise<Place> {
  const { host, journal, clusters } = life;
  journal.info("Managed etcd cluster bootstrap already complete and initialized");
  host.files.remove(paths.resetFlag);
  const cluster = clusters.find(database.cluster, host.clock);
  if (cluster === undefined) throw new Fatal("etcd exited: walpb: crc mismatch");
  const token = tokenOf(life, "token") ?? host.files.read(paths.token)?.toString("utf8").trim() ?? "";
  const { password } = parseToken(token);
  journal.info("Starting temporary etcd to reconcile with datastore");
  if (hashOfToken(password) !== cluster.bootstrap.tokenHash)
    throw new Fatal(
      "Failed to reconcile with temporary etcd: bootstrap data already found and encrypted with different token",
    );
  journal.info("Reconciling bootstrap data between datastore and disk");
  const { trust, former = [] } = cluster.bootstrap;
  checkTrust(life, trust, former);
  return Promise.resolve({
    cluster,
    trust,
    memberId: database.member,
    isFounder: false,
    passwords: { server: password, agent: agentPassword(life, password) },
  });
}

/** Files of another trust on the disk stop a server; missing ones and those of an older one are written. */
function checkTrust({ host }: Life, trust: TrustFiles, former: TrustFiles[]): void {
  const onDisk = readTrust(host);
  const changed = Object.keys(onDisk).filter(
    (name) => onDisk[name] !== trust[name] && !former.some((old) => old[name] === onDisk[name]),
  );
  if (changed.length > 0)
    throw new Fatal(
      `${changed.map((name) => `${paths.tls}/${name}`).join(", ")} newer than datastore and could cause a cluster outage. Remove the file(s) from disk and restart to be recreated from datastore.`,
    );
  writeTrust(host, trust);
}

/** Taken as it stands: a whole token here is a password nobody can have. */
const agentPassword = (life: Life, server: string): string => tokenOf(life, "agent-token") ?? server;

/** A token as such, or in the file that is named instead. */
export function tokenOf(
  { host, settings }: Pick<Life, "host" | "settings">,
  name: "token" | "agent-token",
): string | undefined {
  const file = settings.text(`${name}-file`);
  const text = file === undefined ? settings.text(name) : host.files.read(file)?.toString("utf8");
  const token = text?.trim();
  return token === "" ? undefined : token;
}
