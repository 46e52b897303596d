import { contractOf, minorOf } from "./contract.ts";

/** What a Talos minor brings unless told otherwise, in its newest patch we know. */
export interface TalosDefaults {
  /** All versions without a leading v. */
  talos: string;
  kubernetes: string;
  etcd: string;
  coreDns: string;
  flannel: string;
}

const byMinor: Record<
  number,
  [talos: string, kubernetes: string, etcd: string, coreDns: string, flannel: string]
> = {
  8: ["1.8.4", "1.31.4", "3.5.17", "1.11.3", "0.25.7"],
  9: ["1.9.6", "1.32.4", "3.5.21", "1.12.0", "0.26.5"],
  10: ["1.10.9", "1.33.6", "3.5.26", "1.12.1", "0.26.7"],
  11: ["1.11.6", "1.34.1", "3.6.5", "1.12.4", "0.27.4"],
  12: ["1.12.11", "1.35.4", "3.6.11", "1.14.2", "0.27.4"],
  13: ["1.13.9", "1.36.3", "3.6.12", "1.14.6", "0.28.8"],
  14: ["1.14.1", "1.37.0", "3.7.1", "1.14.6", "0.28.9"],
  15: ["1.15.0", "1.37.0", "3.7.1", "1.14.7", "0.28.9"],
};

/** For a version such as `v1.13` or `1.13.2`. */
export function talosDefaults(version: string): TalosDefaults {
  const row = byMinor[contractOf(version).minor];
  const [talos = "", kubernetes = "", etcd = "", coreDns = "", flannel = ""] = row ?? [];
  return { talos, kubernetes, etcd, coreDns, flannel };
}

/**
 * The installer talosctl writes when none was chosen. From 1.14 only the factory has installers; the plain one is
 * for metal, so machines of other platforms must name their own.
 */
export function defaultInstaller(version: string): string {
  const full = /^v?1\.\d+\.\d+/.test(version) ? version.replace(/^v/, "") : talosDefaults(version).talos;
  return minorOf(full) < 14
    ? `ghcr.io/siderolabs/installer:v${full}`
    : `factory.talos.dev/metal-installer/${plainSchematic}:v${full}`;
}

/** By this id the factory knows the schematic that asks for nothing. */
const plainSchematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
