import path from "node:path";
import { connectTalos, probeTalos, type TalosClient, type TalosProbe } from "../../clients/talos/index.ts";
import type { KubeClient } from "../../clients/kube/index.ts";
import type { CallTrace, Clock, Dial } from "../../lib/index.ts";
import { writeKubeconfig, type Identity, type IssueOptions } from "../../pki/index.ts";
import { trusted, type Bundle, type SecretFiles, type SecretStore } from "../../secrets/index.ts";
import type { DistributionWorld } from "../distribution-world.ts";
import { keptOpen } from "../kubernetes/index.ts";
import {
  issueKubernetesAdmin,
  issueTalosClient,
  type MachineIntent,
  encodeMachineConfig,
  machineConfig,
  secretsIn,
  withSecrets,
} from "./config/index.ts";
import { secretsLost } from "./errors.ts";
import { recoverBundle } from "./recover-bundle.ts";

/** What the Talos steps need of the world. */
export interface TalosWorld extends Pick<
  DistributionWorld,
  | "wall"
  | "clock"
  | "random"
  | "calls"
  | "redaction"
  | "dialFor"
  | "addressOf"
  | "folder"
  | "resolveSecret"
  | "connectKube"
  | "consoles"
  | "recoverySource"
> {
  secrets: SecretStore;
  /** Where snapshots of etcd are kept, which hold secrets too. */
  secretFiles: Pick<SecretFiles, "keepBytes">;
}

/** Opens connections to nodes and clusters with certificates made from their secrets; makes each of these once. */
export class TalosAccess {
  readonly world: TalosWorld;
  /** Texts of machine configs, written once per run. */
  rendered = new WeakMap<MachineIntent, string>();
  private readonly bundles = new Map<string, Promise<Bundle>>();
  private readonly recovered = new Map<string, Promise<Bundle | undefined>>();
  /** Who we are to the nodes of a cluster, and to its Kubernetes: issued once, for every connection. */
  private readonly clients = new Map<string, Promise<Identity>>();
  private readonly admins = new Map<string, Promise<Identity>>();
  private readonly trusting = new Set<string>();

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

  /** How the nodes of a cluster are reached. */
  route(cluster: string): { dial: Dial; clock: Clock; calls: CallTrace } {
    const { clock, calls } = this.world;
    return { dial: this.world.dialFor(cluster), clock, calls };
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
    const known = this.recovered.get(cluster) ?? recoverBundle(this.folderOf(cluster), this.route(cluster));
    this.recovered.set(cluster, known);
    return known;
  }

  /** The cluster's secrets; they were made by an earlier step. */
  async bundle(cluster: string): Promise<Bundle> {
    const bundle = await this.findBundle(cluster);
    if (!bundle) throw secretsLost({ cluster, folder: this.folderOf(cluster), areNodesFound: false });
    return bundle;
  }

  /** Looks at a node from outside: silent, waiting for its config, ours, or another's. */
  async probe(cluster: string, address: string, signal: AbortSignal): Promise<TalosProbe> {
    const bundle = await this.findBundle(cluster);
    return probeTalos({
      ...{ address, signal, ...this.route(cluster) },
      osCa: bundle && trusted(bundle, "os"),
    });
  }

  /** A node that waits for its first config, held to the key it showed when it was found. */
  openMaintenance(cluster: string, address: string, fingerprint: string): TalosClient {
    return connectTalos({ address, ...this.route(cluster), maintenance: { fingerprint } });
  }

  /** A configured node, both sides proven by certificates. */
  async open(cluster: string, address: string): Promise<TalosClient> {
    const bundle = await this.bundle(cluster);
    const known = this.clients.get(cluster) ?? issueTalosClient(bundle, this.issuing);
    this.clients.set(cluster, known);
    const identity = { ca: trusted(bundle, "os"), ...(await known) };
    this.world.redaction.register(identity.key, this);
    return connectTalos({ address, ...this.route(cluster), identity });
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

  /** The Kubernetes API behind `server`, as administrator. */
  kube(cluster: string, server: string): Promise<KubeClient> {
    return this.kubes(cluster, server);
  }

  private readonly openKubes = () =>
    keptOpen(async (cluster, server) => {
      const text = await this.kubeconfig(cluster, server);
      if (text === undefined)
        throw secretsLost({ cluster, folder: this.folderOf(cluster), areNodesFound: false });
      return this.world.connectKube(text, cluster);
    });
  private kubes = this.openKubes();

  /** Other secrets in the place of those there are: on the disk first, and then for every connection that is opened. */
  async replaceBundle(cluster: string, bundle: Bundle): Promise<void> {
    await this.world.secrets.replace(cluster, await this.bundle(cluster), bundle);
    this.bundles.set(cluster, Promise.resolve(bundle));
    this.clients.delete(cluster);
    this.admins.delete(cluster);
    this.rendered = new WeakMap();
    this.kubes = this.openKubes();
  }

  /** The same access as a file's text, for programs. Undefined before the secrets are made. */
  async kubeconfig(cluster: string, server: string): Promise<string | undefined> {
    const bundle = await this.findBundle(cluster);
    if (!bundle) return undefined;
    const known = this.admins.get(cluster) ?? issueKubernetesAdmin(bundle, this.issuing);
    this.admins.set(cluster, known);
    const admin = await known;
    this.world.redaction.register(admin.key, this);
    return writeKubeconfig({ cluster, server }, trusted(bundle, "kubernetes"), admin);
  }
}

/** The intent with what it only refers to: passwords of registries, passphrases of disks. */
async function revealed(access: TalosAccess, cluster: string, intent: MachineIntent): Promise<MachineIntent> {
  const needed = secretsIn(intent);
  if (needed.length === 0) return intent;
  const values = needed.map(async ({ key, ref, what }) => {
    return [key, await access.world.resolveSecret(ref, `${what} of "${cluster}"`)] as const;
  });
  return withSecrets(intent, new Map(await Promise.all(values)));
}

/** The text of a machine config. The file and the node get the same one, so it is written once per run. */
export async function renderConfig(
  access: TalosAccess,
  cluster: string,
  intent: MachineIntent,
): Promise<string> {
  const bundle = await access.bundle(cluster);
  const text =
    access.rendered.get(intent) ??
    encodeMachineConfig(machineConfig(await revealed(access, cluster, intent), bundle));
  access.rendered.set(intent, text);
  return text;
}
