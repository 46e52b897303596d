import type { FilePart } from "./file-part.ts";
import type { SecretRef } from "./secret.ts";

/** Fields of the file that say which Talos it is; `TalosDistribution` has them. */
type OfDistribution =
  | "version"
  | "extensions"
  | "kernelArgs"
  | "architecture"
  | "secureBoot"
  | "factory"
  | "firstContact";

/** How the nodes of a cluster run Talos. Everything absent is as Talos has it. */
export interface TalosSettings extends Omit<
  FilePart<"talos">,
  OfDistribution | keyof FilePart<"nodeTalos"> | "registries" | "encryption"
> {
  /** By the host of the registry. */
  registries?: Record<string, Registry>;
  /** Of Talos's own partitions. */
  encryption?: { state?: DiskKey; ephemeral?: DiskKey };
}

export interface Registry extends Omit<FilePart<"registry">, "auth"> {
  auth?: { username: string; password: SecretRef } | { token: SecretRef };
}

/** `tpm` comes with secure boot. */
export type DiskKey = { nodeId: true } | { tpm: true } | { passphrase: SecretRef } | { kms: string };

/** What may differ from node to node. */
export interface NodeTalos extends Omit<FilePart<"nodeTalos">, "kernelModules" | "sysctls" | "kubelet"> {
  kernelModules?: FilePart<"kernelModule">[];
  sysctls?: Record<string, string>;
  kubelet?: Omit<FilePart<"kubelet">, "args"> & { args?: Record<string, string> };
}

/** What Kubernetes is brought up with. */
export interface KubernetesSettings
  extends
    Pick<FilePart<"network">, "cni" | "kubeProxy">,
    Pick<FilePart<"cluster">, "scheduleOnControlPlanes" | "extraManifests"> {
  externalCloudProvider?: { manifests: string[] };
  inlineManifests?: { name: string; contents: string }[];
}
