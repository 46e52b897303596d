import type { SshConnection } from "../../../clients/ssh/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { RecoveredSecrets } from "../../../plan/index.ts";
import {
  k3sAuthorityNames,
  k3sBundleFromServer,
  servedAuthority,
  writeK3sBundle,
  type K3sBundle,
} from "../../../secrets/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { nobodyTells, notProven } from "../../kubernetes/index.ts";
import { guestOf, takeLoginBack, type OpenOwnSsh } from "../../linux-hosts/index.ts";
import { trustFileNames } from "../files/trust.ts";
import { serverUrl, type K3sAccess } from "../k3s-access.ts";
import { k3sPaths } from "../paths.ts";
import { serversOf } from "../step-names.ts";
import { authoritiesForeign, serversDiffer } from "./errors.ts";

/** A private key that somebody names, as text. */
type Credential = { text: string; file: string } | undefined;

const timeoutMs = 20_000;
const option = "--ssh-key FILE";

/**
 * Reads lost secrets back from the disks of the servers, over a login that is left: the cluster's own, the user's own, or a key
 * that is named. They are written once the cluster has let in whoever has them; then the cluster's own login is made good too.
 */
export async function recoverSecrets(
  access: K3sAccess,
  openOwn: OpenOwnSsh,
  cluster: K3sCluster,
  given: Credential,
): Promise<RecoveredSecrets> {
  const { name } = cluster;
  const open = (node: Node) => openNode(access, openOwn, cluster, node, given);
  const found = new Map<string, K3sBundle>();
  const silent: string[] = [];
  for (const server of serversOf(cluster)) {
    const answer = await readServer(cluster, server, open);
    if (typeof answer === "string") silent.push(`${server.name}: ${answer}`);
    else found.set(server.name, answer);
  }
  const [bundle] = found.values();
  if (!bundle)
    throw nobodyTells({
      ...{ cluster: name, option, asked: serversOf(cluster).map(({ address }) => address) },
      file: given?.file ?? "an SSH login of this computer",
      gave: "its files",
      reasons: silent.join("; "),
    });
  const texts = new Set([...found.values()].map(writeK3sBundle));
  if (texts.size > 1) throw serversDiffer({ cluster: name, nodes: [...found.keys()] });
  for (const { key } of Object.values(bundle.authorities)) access.world.redaction.register(key);
  const provenBy = await provers(access, cluster, bundle);
  if (provenBy.length === 0) throw notProven({ cluster: name, led: "this login" });
  const there = await access.findBundle(name);
  const isNew = there && isSame(there, bundle) ? false : await access.world.secrets.adopt(name, bundle);
  for (const node of cluster.nodes) await takeBack(access, cluster, node, open);
  return { file: access.world.secrets.fileOf(name), isNew, provenBy };
}

async function openNode(
  access: K3sAccess,
  openOwn: OpenOwnSsh,
  cluster: K3sCluster,
  node: Node,
  given: Credential,
): Promise<SshConnection> {
  const { name, distribution } = cluster;
  const guest = guestOf(cluster, node);
  const own = {
    ...{ cluster: name, address: node.address, user: distribution.user },
    ...(given && { key: { name: given.file, text: given.text } }),
    fingerprint: node.machine?.fingerprint,
    isTrusted: distribution.firstContact === "trust" ? (true as const) : undefined,
  };
  if (given || !(await access.world.keys.findLogin(name)) || !(await access.hosts.isMet(guest)))
    return openOwn(own);
  return access.hosts.open(guest, undefined, timeoutMs);
}

/** What lies there may know more: keys that are on no server, tokens of before. */
const isSame = (there: K3sBundle, found: K3sBundle): boolean =>
  there.token === found.token &&
  there.agentToken === found.agentToken &&
  k3sAuthorityNames.every(
    (name) =>
      servedAuthority(there, name) === found.authorities[name].cert &&
      there.authorities[name].key === found.authorities[name].key,
  );

/** Or why it did not tell: it does not answer, does not let us in, or has no K3s. */
async function readServer(
  cluster: K3sCluster,
  server: Node,
  open: (node: Node) => Promise<SshConnection>,
): Promise<K3sBundle | string> {
  try {
    const to = await open(server);
    try {
      return (await bundleOn(to, cluster, server)) ?? "K3s has left no token there, or root may not be asked";
    } finally {
      to.close();
    }
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code.startsWith("SSH_")) return thrown.why;
    throw thrown;
  }
}

async function bundleOn(
  to: SshConnection,
  cluster: K3sCluster,
  server: Node,
): Promise<K3sBundle | undefined> {
  const { user } = cluster.distribution;
  const read = async (file: string): Promise<string> => {
    const { code, stdout } = await to.run([...(user === "root" ? [] : ["sudo", "-n"]), "cat", file]);
    return code === 0 ? stdout : "";
  };
  const token = passwordIn(await read(k3sPaths.tokenFile));
  if (token === "") return undefined;
  const pairs = k3sAuthorityNames.map(async (name) => {
    const path = `${k3sPaths.trustFolder}/${trustFileNames[name]}`;
    return [name, { cert: await read(`${path}.crt`), key: await read(`${path}.key`) }] as const;
  });
  const bundle = k3sBundleFromServer(
    {
      token,
      agentToken: passwordIn(await read(k3sPaths.agentTokenFile)),
      authorities: Object.fromEntries(await Promise.all(pairs)) as K3sBundle["authorities"],
      serviceKey: await read(`${k3sPaths.trustFolder}/service.key`),
    },
    `the files on ${server.name}`,
  );
  if (!bundle) throw authoritiesForeign({ cluster: cluster.name, node: server.name });
  return bundle;
}

const passwordIn = (token: string): string => token.trim().slice(token.trim().lastIndexOf(":") + 1);

/** Servers whose Kubernetes API lets in whoever has the bundle. */
async function provers(access: K3sAccess, cluster: K3sCluster, bundle: K3sBundle): Promise<string[]> {
  const proven: string[] = [];
  for (const { name, address } of serversOf(cluster)) {
    const fields = { cluster: cluster.name, server: serverUrl(address) };
    const text = await access.kubeconfigOf(bundle, fields);
    const kube = access.world.connectKube(text, cluster.name);
    try {
      await kube.nodes();
      proven.push(name);
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError)) throw thrown;
    } finally {
      kube.close();
    }
  }
  return proven;
}

/** One that is away keeps its secrets to itself until somebody runs this again. */
async function takeBack(
  access: K3sAccess,
  cluster: K3sCluster,
  node: Node,
  open: (node: Node) => Promise<SshConnection>,
): Promise<void> {
  try {
    const to = await open(node);
    try {
      await takeLoginBack(access.hosts, to, guestOf(cluster, node));
    } finally {
      to.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || !thrown.code.startsWith("SSH_")) throw thrown;
  }
}
