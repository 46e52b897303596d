import type { Position } from "../../errors/index.ts";
import type { SecretRef, TlsTrust } from "./secret.ts";

/** A machine that is there already, as the file tells it. */
export interface ExistingMachine {
  name: string;
  address: string;
  /** Absent: its NIC is not known beforehand, and it keeps the address that DHCP gives it. */
  mac?: string;
  /** Where Talos goes; absent: `/dev/sda`. */
  disk?: string;
  /** Of what it shows before it has any secret of ours. Absent: nothing is known of it beforehand. */
  fingerprint?: string;
  /** Whoever answers at its address is believed. */
  isTrusted?: true;
  bmc?: Bmc;
  wakesOnLan?: true;
  labels: Record<string, string>;
  at: Position;
}

/** The management controller of a machine. */
export interface Bmc {
  url: string;
  user: string;
  password: SecretRef;
  tls: TlsTrust;
  /** Which of its systems; absent: the only one. */
  system?: string;
}
