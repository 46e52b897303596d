import { createHash } from "node:crypto";
import { parseAllDocuments } from "yaml";
import { fieldsAt, isFields, valueAt, type Fields } from "../config/fields.ts";

/** The pods of a control plane that its kubelet runs without Kubernetes. */
export const staticApps = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;
export type StaticApp = (typeof staticApps)[number];

interface StaticPod {
  madeFrom: string;
  version: number;
  isRunning: boolean;
}

/** What each static pod is made from, and which of them runs. A pod that is made from other things is another pod. */
export class StaticPods {
  readonly #pods: Map<StaticApp, StaticPod>;
  #secrets: { madeFrom: string; version: number };
  #isReplacing = false;
  /** Of the config that was asked about last: a kubelet asks all the time, mostly about the same. */
  #read: { config: string; inputs: PodInputs } | undefined;

  /** When they were last written for the kubelet. */
  writtenAt: number;

  constructor(config: string, now: number) {
    this.writtenAt = now;
    const inputs = this.#inputsOf(config);
    this.#secrets = { madeFrom: inputs.secrets, version: 1 };
    this.#pods = new Map(
      staticApps.map((app) => [app, { madeFrom: inputs.apps[app], version: 1, isRunning: true }]),
    );
  }

  isRunning(app: StaticApp): boolean {
    return this.#pods.get(app)?.isRunning ?? false;
  }

  /** They are written anew, and the old ones still run or are just gone. */
  get isReplacing(): boolean {
    return this.#isReplacing;
  }

  isMadeFrom(config: string): boolean {
    const inputs = this.#inputsOf(config);
    return (
      inputs.secrets === this.#secrets.madeFrom &&
      [...this.#pods].every(([app, pod]) => pod.madeFrom === inputs.apps[app])
    );
  }

  /** Writes the pods anew. Returns those that are others now; they go on running until the kubelet notices. */
  rewrite(config: string, now: number): StaticApp[] {
    this.writtenAt = now;
    const inputs = this.#inputsOf(config);
    const hasOtherSecrets = inputs.secrets !== this.#secrets.madeFrom;
    if (hasOtherSecrets) this.#secrets = { madeFrom: inputs.secrets, version: this.#secrets.version + 1 };
    const others = [...this.#pods].flatMap(([app, pod]) => {
      const isOther = pod.madeFrom !== inputs.apps[app];
      if (isOther) Object.assign(pod, { madeFrom: inputs.apps[app], version: pod.version + 1 });
      return isOther || hasOtherSecrets ? [app] : [];
    });
    this.#isReplacing = others.length > 0;
    return others;
  }

  setRunning(apps: readonly StaticApp[], isRunning: boolean): void {
    this.#isReplacing = !isRunning;
    for (const app of apps) Object.assign(this.#pods.get(app) ?? {}, { isRunning });
  }

  #inputsOf(config: string): PodInputs {
    if (this.#read?.config !== config) this.#read = { config, inputs: readInputs(config) };
    return this.#read.inputs;
  }

  /** As Talos writes them, so that everybody can tell which config a pod was made from. */
  annotations(app: StaticApp): Record<string, string> {
    return {
      "talos.dev/config-version": String(this.#pods.get(app)?.version ?? 0),
      "talos.dev/secrets-version": String(this.#secrets.version),
    };
  }
}

/** Everything else of a config leaves these pods alone. */
const secretKeys =
  "ca acceptedCAs aggregatorCA serviceAccount secretboxEncryptionSecret aescbcEncryptionSecret controlPlane".split(
    " ",
  );
const secretKinds = [
  "KubeAPIServerCAConfig",
  "KubeAggregatorCAConfig",
  "KubeServiceAccountConfig",
  "KubeClusterConfig",
];
const documentsOf: Record<StaticApp, string[]> = {
  "kube-apiserver": [
    "KubeAPIServerConfig",
    "KubeAdmissionControlConfig",
    "KubeAuditPolicyConfig",
    "KubeAuthenticationConfig",
    "KubeAuthorizerConfig",
    "KubeEtcdEncryptionConfig",
    "KubeNetworkConfig",
  ],
  "kube-controller-manager": ["KubeControllerManagerConfig", "KubeNetworkConfig"],
  "kube-scheduler": ["KubeSchedulerConfig"],
};

interface PodInputs {
  secrets: string;
  apps: Record<StaticApp, string>;
}

function readInputs(text: string): PodInputs {
  const documents = parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isFields);
  const cluster = fieldsAt(
    documents.find((document) => document["kind"] === undefined),
    "cluster",
  );
  const ofKinds = (kinds: string[]): Fields[] =>
    documents.filter((document) => kinds.includes(String(document["kind"])));
  const { certSANs, ...apiServer } = fieldsAt(cluster, "apiServer");
  const network = fieldsAt(cluster, "network");
  const cloud = valueAt(cluster, "externalCloudProvider");
  const subnets = [network["podSubnets"], network["serviceSubnets"]];
  return {
    secrets: digest([
      certSANs,
      network["dnsDomain"],
      secretKeys.map((key) => cluster[key]),
      ofKinds(secretKinds),
    ]),
    apps: {
      "kube-apiserver": digest([apiServer, cloud, subnets[1], ofKinds(documentsOf["kube-apiserver"])]),
      "kube-controller-manager": digest([
        cluster["controllerManager"],
        cloud,
        subnets,
        ofKinds(documentsOf["kube-controller-manager"]),
      ]),
      "kube-scheduler": digest([cluster["scheduler"], ofKinds(documentsOf["kube-scheduler"])]),
    },
  };
}

const digest = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
