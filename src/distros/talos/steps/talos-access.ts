import path from "node:path";
import type { KubeClient } from "../../../clients/kube/index.ts";
import { connectTalos, probeTalos, type TalosClient, type TalosProbe } from "../../../clients/talos/index.ts";
import { learnSecret, type Clock, type Dial, type Random } from "../../../lib/index.ts";
import type { Identity } from "../../../pki/index.ts";
import type { Consoles } from "../../../plan/index.ts";
import type { Bundle, SecretStore } from "../../../secrets/index.ts";
import type { SecretRef } from "../../../spec/index.ts";
import { issueKubernetesAdmin, issueTalosClient, type IssueOptions } from "../client-certificates.ts";
import { secretsLost } from "./errors.ts";
import { recoverBundle } from "./recover-bundle.ts";
import { writeKubeconfig } from "../kubeconfig.ts";

/** What the Talos steps need of the world. */
export interface TalosWorld {
  /** Dates certificates. */
  wall: Pick<Clock, "now">;
  random: Random;
  /** The way to the nodes of a cluster. */
  dialFor(cluster: string): Dial;
  /** What a node has been given that is dialled by name; other addresses stay as they are. Throws while it has none. */
  addressOf(host: string): Promise<string>;
  /** `.slipway`. */
  folder: string;
  secrets: SecretStore;
  /** Fetches what the cluster file only refers to. */
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  connectKube(kubeconfig: string, cluster: string): KubeClient;
  /** Where new nodes print who they are. */
  consoles: Consoles;
}

/** Opens connections to nodes and clusters with certificates made from their secrets; makes each of these once. */
export class TalosAccess {
  readonly world: TalosWorld;
  private readonly bundles = new Map<string, Promise<Bundle>>();
  private readonly recovered = new Map<string, Promise<Bundle | undefined>>();
  private readonly clients = new Map<string, Promise<Identity>>();
  private readonly trusting = new Set<string>();
  private readonly apis = new Map<string, Promise<KubeClient>>();

  constructor(world: TalosWorld) {
    this.world = world;
  }

  /** What is needed to issue a certificate. */
  get issuing(): IssueOptions {
    return { clock: this.world.wall, random: this.world.random };
  }

  /** True once per cluster: trusting a node unseen is said aloud, but not three hundred times. */
  isFirstTrust(cluster: string): boolean {
    const isFirst = !this.trusting.has(cluster);
    this.trusting.add(cluster);
    return isFirst;
  }

  folderOf(cluster: string): string {
    return path.join(this.world.folder, cluster);
  }

  /** The cluster's secrets: from their file, else read back from the running cluster. Undefined before they are made. */
  async findBundle(cluster: string): Promise<Bundle | undefined> {
    const known = this.bundles.get(cluster);
    if (known) return known;
    const bundle = await this.world.secrets.find(cluster);
    if (!bundle) return this.recoveredBundle(cluster);
    this.bundles.set(cluster, Promise.resolve(bundle));
    return bundle;
  }

  /** Secrets that only the running cluster has any more; asked for once. */
  recoveredBundle(cluster: string): Promise<Bundle | undefined> {
    const known =
      this.recovered.get(cluster) ?? recoverBundle(this.folderOf(cluster), this.world.dialFor(cluster));
    this.recovered.set(cluster, known);
    return known;
  }

  /** The cluster's secrets; they were made by an earlier step. */
  async bundle(cluster: string): Promise<Bundle> {
    const bundle = await this.findBundle(cluster);
    if (!bundle) throw secretsLost({ cluster, folder: this.folderOf(cluster) });
    return bundle;
  }

  /** Looks at a node from outside: silent, waiting for its config, ours, or another's. */
  async probe(cluster: string, address: string, signal: AbortSignal): Promise<TalosProbe> {
    const bundle = await this.findBundle(cluster);
    return probeTalos({
      address,
      dial: this.world.dialFor(cluster),
      signal,
      ...(bundle && { osCa: bundle.os.cert }),
    });
  }

  /** A node that waits for its first config, held to the key it showed when it was found. */
  openMaintenance(cluster: string, address: string, fingerprint: string): TalosClient {
    return connectTalos({ address, dial: this.world.dialFor(cluster), maintenance: { fingerprint } });
  }

  /** A configured node, both sides proven by certificates. */
  async open(cluster: string, address: string): Promise<TalosClient> {
    const bundle = await this.bundle(cluster);
    const known = this.clients.get(cluster) ?? issueTalosClient(bundle, this.issuing);
    this.clients.set(cluster, known);
    const identity = { ca: bundle.os.cert, ...(await known) };
    learnSecret(identity.key);
    return connectTalos({ address, dial: this.world.dialFor(cluster), identity });
  }

  /** Calls a configured node once and lets go of it. */
  async using<T>(cluster: string, address: string, call: (node: TalosClient) => Promise<T>): Promise<T> {
    const node = await this.open(cluster, address);
    try {
      return await call(node);
    } finally {
      node.close();
    }
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
    if (!bundle) return undefined;
    const admin = await issueKubernetesAdmin(bundle, this.issuing);
    learnSecret(admin.key);
    return writeKubeconfig({ cluster, server }, bundle.kubernetes.cert, admin);
  }

  private async openKube(cluster: string, server: string): Promise<KubeClient> {
    const text = await this.kubeconfig(cluster, server);
    if (text === undefined) throw secretsLost({ cluster, folder: this.folderOf(cluster) });
    return this.world.connectKube(text, cluster);
  }
}
