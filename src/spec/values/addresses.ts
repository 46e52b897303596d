import { createHash } from "node:crypto";
import { type Cidr, formatIpv4, parseIpv4, parseOctet } from "./ipv4.ts";
import type { Role } from "../model/cluster.ts";

/**
 * `.101` or `.1.101` stand for the last parts of an address in the network; a whole address stands for itself.
 * Nothing when the text is neither.
 */
export function resolveAddress(cidr: Cidr, text: string): number | undefined {
  if (!text.startsWith(".")) return parseIpv4(text);
  const given = text.slice(1).split(".");
  if (given.length > 3) return undefined;
  const start = formatIpv4(cidr.base).split(".");
  if (given.some((part) => parseOctet(part) === undefined)) return undefined;
  return parseIpv4([...start.slice(0, 4 - given.length), ...given].join("."));
}

/**
 * Where a pool starts when the file does not say: control planes at .101, the first worker pool at .111.
 * Later pools have no such place, because it would move when a pool before them grows or goes.
 */
export function defaultFirstAddress(cidr: Cidr, role: Role, poolOrder: number): number | undefined {
  if (cidr.prefix > 24) return undefined;
  if (role === "control-plane") return cidr.base + 101;
  return poolOrder === 0 ? cidr.base + 111 : undefined;
}

/** The numbers of a pool's nodes: from 1, without those left out, `count` of them. */
export function nodeNumbers(count: number, skip: readonly number[]): number[] {
  const leftOut = new Set(skip);
  const numbers: number[] = [];
  for (let number = 1; numbers.length < count; number++) {
    if (!leftOut.has(number)) numbers.push(number);
  }
  return numbers;
}

/** A thing counted up from the first node's: an address or a VMID. Depends on nothing but the node's own number. */
export const countedFrom = (first: number, number: number): number => first + number - 1;

/** The MAC address of a node, the same on every machine and every run. Locally administered (02), never multicast. */
export function nodeMac(cluster: string, pool: string, number: number): string {
  const digest = createHash("sha256").update(`${cluster}/${pool}/${number}`).digest();
  return formatMac(0x02 * 2 ** 40 + digest.readUIntBE(0, 5));
}

/** The MAC of node `number` when the first one's was given. */
export const macCountedFrom = (first: string, number: number): string =>
  formatMac((Number.parseInt(first.replaceAll(":", ""), 16) + number - 1) % 2 ** 48);

function formatMac(value: number): string {
  const digits = value.toString(16).padStart(12, "0");
  return (digits.match(/../g) ?? []).join(":");
}
