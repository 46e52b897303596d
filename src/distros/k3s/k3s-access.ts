import path from "node:path";
import { connectSupervisor, type Supervisor } from "../../clients/k3s/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { readKubeconfig, type KubeClient } from "../../clients/kube/index.ts";
import type { IssueOptions, KubeconfigFields } from "../../pki/index.ts";
import { trustedAuthority, type K3sBundle, type K3sStore } from "../../secrets/index.ts";
import type { DistributionWorld } from "../distribution-world.ts";
import { keptOpen, type OpenKube } from "../kubernetes/index.ts";
import { LinuxAccess, type Guest, HostSession } from "../linux-hosts/index.ts";
import type { JoinTokens } from "./files/config-file.ts";
import { agentToken, kubeconfig, serverToken } from "./files/trust.ts";
import { secretsLost } from "./errors.ts";

/** What the K3s steps need of the world. */
export interface K3sWorld extends Pick<
  DistributionWorld,
  | "wall"
  | "clock"
  | "random"
  | "calls"
  | "redaction"
  | "dialFor"
  | "folder"
  | "keys"
  | "resolveSecret"
  | "connectKube"
  | "cacheFolder"
  | "fetchFile"
  | "recoverySource"
> {
  secrets: K3sStore;
}

/** Opens the ways to nodes and clusters, with secrets made beforehand; each is made once. */
export class K3sAccess {
  readonly world: K3sWorld;
  readonly hosts: LinuxAccess;
  private readonly bundles = new Map<string, Promise<K3sBundle | undefined>>();

  constructor(world: K3sWorld) {
    this.world = world;
    this.hosts = new LinuxAccess(world);
  }

  get issuing(): IssueOptions {
    return { clock: this.world.wall, random: this.world.random };
  }

  folderOf(cluster: string): string {
    return path.join(this.world.folder, cluster);
  }

  /** The cluster's secrets; undefined before they are made. */
  async findBundle(cluster: string): Promise<K3sBundle | undefined> {
    const known = await this.bundles.get(cluster);
    if (known) return known;
    const finding = this.world.secrets.find(cluster).then((bundle) => {
      if (bundle) this.registerTokens(bundle);
      return bundle;
    });
    this.bundles.set(cluster, finding);
    return finding;
  }

  /** The cluster's secrets; they were made by an earlier step. */
  async bundle(cluster: string): Promise<K3sBundle> {
    const bundle = await this.findBundle(cluster);
    if (!bundle) throw secretsLost({ cluster, folder: this.folderOf(cluster), areNodesFound: false });
    return bundle;
  }

  /** Other secrets in the place of those there are: on the disk first, and then for every connection that is opened. */
  async replaceBundle(cluster: string, bundle: K3sBundle): Promise<void> {
    this.registerTokens(bundle);
    await this.world.secrets.replace(cluster, await this.bundle(cluster), bundle);
    this.bundles.set(cluster, Promise.resolve(bundle));
    this.kubes = this.openKubes();
  }

  private registerTokens({ nextTokens, ...bundle }: K3sBundle): void {
    for (const secret of [bundle.token, bundle.agentToken, nextTokens?.server, nextTokens?.agent])
      if (secret !== undefined) this.world.redaction.register(secret);
  }

  async tokens(cluster: string): Promise<JoinTokens> {
    const bundle = await this.bundle(cluster);
    return { token: serverToken(bundle), agentToken: agentToken(bundle) };
  }

  session(guest: Guest): HostSession {
    return new HostSession(this.hosts, guest, "k3s.user");
  }

  /** Does something on a host and leaves. */
  async using<T>(guest: Guest, work: (session: HostSession) => Promise<T>): Promise<T> {
    const session = this.session(guest);
    try {
      return await work(session);
    } finally {
      session.close();
    }
  }

  /**
   * Asks the supervisor of a server, with the credentials of a server. To check a password costs it a second of work, on a
   * small machine ten, hence the time it has. While tokens are exchanged some servers know the new one, and some the old.
   */
  async asking<T>(
    cluster: string,
    address: string,
    ask: (supervisor: Supervisor) => Promise<T>,
    timeoutMs = 20_000,
  ): Promise<T> {
    const bundle = await this.bundle(cluster);
    const { token, nextTokens, formerTokens } = bundle;
    const [other] = [nextTokens?.server, formerTokens?.[0]].filter((each) => each !== undefined);
    const askWith = (password: string): Promise<T> =>
      ask(
        connectSupervisor({
          address,
          dial: this.world.dialFor(cluster),
          clock: this.world.clock,
          calls: this.world.calls,
          ca: trustedAuthority(bundle, "server"),
          credentials: { user: "server", password },
          timeoutMs,
        }),
      );
    if (other === undefined) return askWith(token);
    return askWith(token).catch((thrown: unknown) => {
      if (thrown instanceof SlipwayError && thrown.code === "K3S_CALL_REFUSED") return askWith(other);
      throw thrown;
    });
  }

  /** The Kubernetes API behind `server`, as administrator. */
  kube(cluster: string, server: string): Promise<KubeClient> {
    return this.kubes(cluster, server);
  }

  private kubes = this.openKubes();

  private openKubes(): OpenKube {
    return keptOpen(async (cluster, server) => {
      const text = await this.kubeconfig(cluster, server);
      if (text === undefined)
        throw secretsLost({ cluster, folder: this.folderOf(cluster), areNodesFound: false });
      return this.world.connectKube(text, cluster);
    });
  }

  /** The same access as a file's text, for programs. Undefined before the secrets are made. */
  async kubeconfig(cluster: string, server: string): Promise<string | undefined> {
    const bundle = await this.findBundle(cluster);
    return bundle && this.kubeconfigOf(bundle, { cluster, server });
  }

  /** That of a bundle which may not be kept yet. */
  async kubeconfigOf(bundle: K3sBundle, fields: KubeconfigFields): Promise<string> {
    const text = await kubeconfig(fields, bundle, this.issuing);
    const { key } = readKubeconfig(text);
    if (key !== undefined) this.world.redaction.register(key, this);
    return text;
  }
}

/** Where a server answers, for others and for us. */
export const serverUrl = (address: string): string =>
  `https://${address.includes(":") ? `[${address}]` : address}:6443`;
