import type { YamlValue } from "../../../lib/index.ts";
import type { DiskKey, Node, NodeTalos, Registry, TalosSettings } from "../../../spec/index.ts";
import type {
  EncryptionIntent,
  KubeletIntent,
  MachineIntent,
  RegistryIntent,
  VolumeIntent,
} from "../config/index.ts";

/** How a node runs Talos: kernel, kubelet, registries and disks. Secrets stay references. */
export function systemFor(node: Node, settings: TalosSettings): Partial<MachineIntent> {
  const { kubelet, kernelModules, sysctls } = node.talos ?? {};
  const { registries, encryption, workloadIsolation } = settings;
  return {
    kubelet: kubelet && kubeletFor(kubelet),
    kernelModules,
    sysctls,
    registries:
      registries &&
      Object.fromEntries(Object.entries(registries).map(([host, registry]) => [host, registryFor(registry)])),
    encryption: encryption && {
      state: encryption.state && encryptionFor(encryption.state),
      ephemeral: encryption.ephemeral && encryptionFor(encryption.ephemeral),
    },
    isWorkloadIsolated: workloadIsolation,
    volumes: volumesOf(node),
  };
}

const kubeletFor = ({ args, config, mounts }: NonNullable<NodeTalos["kubelet"]>): KubeletIntent => ({
  extraArgs: args,
  config: config as Record<string, YamlValue> | undefined,
  mounts,
});

const registryFor = (registry: Registry): RegistryIntent => ({
  endpoints: registry.mirrors,
  isPathOverridden: registry.overridePath || undefined,
  isFallbackSkipped: registry.skipFallback || undefined,
  auth:
    registry.auth &&
    ("token" in registry.auth
      ? { identityToken: { secret: registry.auth.token } }
      : { username: registry.auth.username, password: { secret: registry.auth.password } }),
  tls:
    registry.ca || registry.insecure
      ? { ca: registry.ca, isVerificationSkipped: registry.insecure || undefined }
      : undefined,
});

function encryptionFor(key: DiskKey): EncryptionIntent {
  if ("nodeId" in key || "tpm" in key) return { keys: [key] };
  return {
    keys: ["kms" in key ? { kmsEndpoint: key.kms } : { passphrase: { secret: key.passphrase } }],
  };
}

/** Longhorn wants a mounted disk. Disks for other ends are left raw: their owner knows what to do with them. */
const volumesOf = (node: Node): VolumeIntent[] =>
  node.dataDisks
    .map((disk, index) => ({ disk, device: `/dev/sd${String.fromCharCode(98 + index)}` }))
    .filter(({ disk }) => disk.for === "longhorn")
    .map(({ disk, device }, index) => ({
      name: index === 0 ? "longhorn" : `longhorn-${index + 1}`,
      sizeGiB: disk.sizeGiB,
      device,
    }));
