/**
 * The shape of generated machine config is fixed by the Talos minor a cluster was made for, its contract.
 * A node does not know it: newer Talos reads older shapes.
 */
export interface Contract {
  /** `1.13`. */
  name: string;
  minor: number;
}

export function contractOf(version: string): Contract {
  const [major = "1", minor = "0"] = version.replace(/^v/, "").split(".");
  return { name: `${major}.${minor}`, minor: Number(minor) };
}

/** What each contract writes differently, by the question the writer has to ask. */
export const writes = {
  /** Network, hostname, resolvers and registries as documents of their own. */
  networkDocuments: (contract: Contract) => contract.minor >= 12,
  userVolumes: (contract: Contract) => contract.minor >= 10,
  /** Feature switches that are locked on from 1.12 and no longer written. */
  lockedFeatures: (contract: Contract) => contract.minor < 12,
  grubUseUkiCmdline: (contract: Contract) => contract.minor >= 12,
  emptyNetwork: (contract: Contract) => contract.minor < 13,
};

export const oldestContract = 8;
export const newestContract = 13;

/** The contract for nodes of a Talos version. Later Talos reads the newest shape we write, until we write its own. */
export const contractFor = (version: string): string =>
  `1.${Math.min(contractOf(version).minor, newestContract)}`;
