import { contractUnknown } from "./errors.ts";

/**
 * The shape of generated machine config is fixed by the Talos minor a cluster was made for, its contract.
 * A node does not know it: newer Talos reads older shapes.
 */
export interface Contract {
  /** `1.13`. */
  name: string;
  minor: number;
}

export const oldestContract = 8;
export const newestContract = 15;

/** The contract of a version such as `v1.13.9` or `1.13`. Unknown ones are refused: their shape is a guess. */
export function contractOf(version: string): Contract {
  const minor = minorOf(version);
  if (minor < oldestContract || minor > newestContract)
    throw contractUnknown({ contract: version.replace(/^v/, ""), oldestContract, newestContract });
  return { name: `1.${minor}`, minor };
}

/** Of a Talos version; anything that is not 1.x counts as unknown. */
export function minorOf(version: string): number {
  const found = /^v?1\.(\d+)(?:\.|$|-)/.exec(version);
  return found ? Number(found[1]) : -1;
}

/** What each contract writes differently, by the question the writer has to ask. */
export const writes = {
  /** Kubernetes, discovery, install, sysctls and kernel modules as documents of their own. */
  kubernetesDocuments: (contract: Contract) => contract.minor >= 14,
  /** Network, hostname, resolvers and registries as documents of their own. */
  networkDocuments: (contract: Contract) => contract.minor >= 12,
  kubeSpanDocument: (contract: Contract) => contract.minor >= 13,
  encryptionDocuments: (contract: Contract) => contract.minor >= 11,
  userVolumes: (contract: Contract) => contract.minor >= 10,
  /** NICs joined to one all show the same address; the one they were made with is known from 1.9. */
  permanentAddress: (contract: Contract) => contract.minor >= 9,
  /** Feature switches that are locked on from 1.12 and no longer written. */
  lockedFeatures: (contract: Contract) => contract.minor < 12,
  grubUseUkiCmdline: (contract: Contract) => contract.minor >= 12,
  emptyNetwork: (contract: Contract) => contract.minor < 13,
};
