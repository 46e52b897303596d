import path from "node:path";
import { connectSupervisor, type Supervisor } from "../../../clients/k3s/index.ts";
import type { KubeClient } from "../../../clients/kube/index.ts";
import { learnSecret, type Clock, type Dial, type Random } from "../../../lib/index.ts";
import type { K3sBundle, K3sStore, SshKeyStore } from "../../../secrets/index.ts";
import type { SecretRef } from "../../../spec/index.ts";
import { LinuxAccess, type Guest } from "../../linux/index.ts";
import type { ArtifactWorld } from "../artifacts.ts";
import type { JoinTokens } from "../config-file.ts";
import { kubeconfig, type IssueOptions } from "../kubeconfig.ts";
import { agentToken, serverToken } from "../trust.ts";
import { secretsLost } from "./errors.ts";
import { HostSession } from "./host-session.ts";

/** What the K3s steps need of the world. */
export interface K3sWorld extends ArtifactWorld {
  /** Dates certificates. */
  wall: Pick<Clock, "now">;
  /** Goes as the clocks of nodes go; a rehearsal's is fast. */
  clock: Pick<Clock, "now">;
  random: Random;
  /** The way to the nodes of a cluster. */
  dialFor(cluster: string): Dial;
  /** `.slipway`. */
  folder: string;
  keys: SshKeyStore;
  secrets: K3sStore;
  /** Fetches what the cluster file only refers to. */
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  connectKube(kubeconfig: string, cluster: string): KubeClient;
}

/** Opens the ways to nodes and clusters, with secrets made beforehand; each is made once. */
export class K3sAccess {
  readonly world: K3sWorld;
  readonly linux: LinuxAccess;
  private readonly bundles = new Map<string, Promise<K3sBundle | undefined>>();
  private readonly apis = new Map<string, Promise<KubeClient>>();

  constructor(world: K3sWorld) {
    this.world = world;
    this.linux = new LinuxAccess(world);
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
      if (bundle) for (const secret of [bundle.token, bundle.agentToken]) learnSecret(secret);
      return bundle;
    });
    this.bundles.set(cluster, finding);
    return finding;
  }

  /** The cluster's secrets; they were made by an earlier step. */
  async bundle(cluster: string): Promise<K3sBundle> {
    const bundle = await this.findBundle(cluster);
    if (!bundle) throw secretsLost({ cluster, folder: this.folderOf(cluster) });
    return bundle;
  }

  async tokens(cluster: string): Promise<JoinTokens> {
    const bundle = await this.bundle(cluster);
    return { token: serverToken(bundle), agentToken: agentToken(bundle) };
  }

  session(guest: Guest): HostSession {
    return new HostSession(this.linux, guest);
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
   * small machine ten, hence the time it has.
   */
  async asking<T>(
    cluster: string,
    address: string,
    ask: (supervisor: Supervisor) => Promise<T>,
    timeoutMs = 20_000,
  ): Promise<T> {
    const bundle = await this.bundle(cluster);
    return ask(
      connectSupervisor({
        address,
        dial: this.world.dialFor(cluster),
        ca: bundle.authorities.server.cert,
        credentials: { user: "server", password: bundle.token },
        timeoutMs,
      }),
    );
  }

  /** The Kubernetes API behind `server`, as administrator. One connection serves all that ask. */
  kube(cluster: string, server: string): Promise<KubeClient> {
    const key = `${cluster} ${server}`;
    const known = this.apis.get(key) ?? this.openKube(cluster, server);
    this.apis.set(key, known);
    return known;
  }

  /** The same access as a file's text, for programs. Undefined before the secrets are made. */
  async kubeconfig(cluster: string, server: string): Promise<string | undefined> {
    const bundle = await this.findBundle(cluster);
    return bundle && kubeconfig({ cluster, server }, bundle, this.issuing);
  }

  private async openKube(cluster: string, server: string): Promise<KubeClient> {
    const text = await this.kubeconfig(cluster, server);
    if (text === undefined) {
      this.apis.delete(`${cluster} ${server}`);
      throw secretsLost({ cluster, folder: this.folderOf(cluster) });
    }
    return this.world.connectKube(text, cluster);
  }
}

/** Where a server answers, for others and for us. */
export const serverUrl = (address: string): string =>
  `https://${address.includes(":") ? `[${address}]` : address}:6443`;
