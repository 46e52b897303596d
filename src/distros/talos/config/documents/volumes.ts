import type { YamlValue } from "../../../../lib/index.ts";
import { configDocument, type MachineConfigDocument } from "../config-document.ts";
import { unlessEmpty } from "../config-values.ts";
import { writes, type Contract } from "../contract.ts";
import { plainText } from "../intent-secrets.ts";
import type {
  EncryptionIntent,
  EncryptionKeyIntent,
  MachineIntent,
  VolumeIntent,
} from "../machine-intent.ts";

/** `machine.disks`: data disks before contract 1.10. */
export const diskSection = (intent: MachineIntent, contract: Contract): YamlValue =>
  writes.userVolumes(contract)
    ? undefined
    : unlessEmpty(
        (intent.volumes ?? []).map(({ name, device }) => ({
          device,
          partitions: [{ mountpoint: `/var/mnt/${name}` }],
        })),
      );

export const userVolumeDocuments = (intent: MachineIntent, contract: Contract): MachineConfigDocument[] =>
  writes.userVolumes(contract) ? (intent.volumes ?? []).map(userVolumeDocument) : [];

/**
 * The volume takes a whole data disk of its size. Disk names may change between boots, so it is found by size,
 * and it asks for nearly all of it, so that two volumes never share a disk.
 */
const userVolumeDocument = (volume: VolumeIntent): MachineConfigDocument =>
  configDocument("UserVolumeConfig", {
    name: volume.name,
    provisioning: {
      diskSelector: {
        match:
          volume.match ??
          `!system_disk && disk.size >= ${volume.sizeGiB}u * GiB && disk.size < ${volume.sizeGiB + 1}u * GiB`,
      },
      grow: true,
      minSize: `${volume.sizeGiB * 1024 - 64}MiB`,
    },
    filesystem: volume.filesystem === undefined ? undefined : { type: volume.filesystem },
    encryption: volume.encryption && encryption(volume.encryption),
  });

/** `machine.systemDiskEncryption` before contract 1.11. */
export function encryptionSection(intent: MachineIntent, contract: Contract): YamlValue {
  const { state, ephemeral } = intent.encryption ?? {};
  if (writes.encryptionDocuments(contract) || (!state && !ephemeral)) return undefined;
  return { state: state && encryption(state), ephemeral: ephemeral && encryption(ephemeral) };
}

/** Settings of Talos's own partitions. From 1.14 workloads cannot run programs they put on the shared one. */
export function systemVolumeDocuments(intent: MachineIntent, contract: Contract): MachineConfigDocument[] {
  const { state, ephemeral } = writes.encryptionDocuments(contract) ? (intent.encryption ?? {}) : {};
  const isSecure = writes.kubernetesDocuments(contract);
  return [
    ...(ephemeral || isSecure
      ? [
          configDocument("VolumeConfig", {
            name: "EPHEMERAL",
            encryption: ephemeral && encryption(ephemeral),
            mount: isSecure ? { secure: true } : undefined,
          }),
        ]
      : []),
    ...(state ? [configDocument("VolumeConfig", { name: "STATE", encryption: encryption(state) })] : []),
  ];
}

const encryption = ({ keys }: EncryptionIntent): MachineConfigDocument => ({
  provider: "luks2",
  keys: keys.map((key, slot) => ({ slot, ...encryptionKey(key) })),
});

function encryptionKey(key: EncryptionKeyIntent): MachineConfigDocument {
  if ("nodeId" in key) return { nodeID: {} };
  if ("tpm" in key) return { tpm: {} };
  if ("passphrase" in key) return { static: { passphrase: plainText(key.passphrase) } };
  return { kms: { endpoint: key.kmsEndpoint } };
}
