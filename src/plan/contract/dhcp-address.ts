/** A machine whose address only its network knows. */
export interface GuestQuestion {
  cluster: string;
  node: string;
  /** Of its first card, lower case. */
  mac: string;
}

/** Where a hypervisor was asked for the addresses of a card, and what was heard there. */
export interface FoundAddresses {
  /** `the guest agent`, `the leases of network "default"`. */
  by: string;
  /** Of any family, without prefix length. Empty: nothing yet, or nothing to ask. */
  addresses: string[];
}
