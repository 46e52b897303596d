import type { Clock, Dial } from "../../lib/index.ts";
import { addressesInUse, type Asking, type Discovered } from "../../plan/index.ts";
import { noAddresses } from "./errors.ts";
import type { Addresses, ProposedNetwork } from "./proposal.ts";

interface AddressRequest {
  controlPlanes: number;
  workers: number;
  network: ProposedNetwork;
  found: Pick<Discovered, "taken" | "networks">;
  dial: Dial;
  clock: Clock;
}

/** Numbers people like to begin with, then all others. */
const usualFirst = [101, 51, 151, 201, 21, 11];
/** So that control planes can grow without running into workers. */
const gap = 10;

const numberOf = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");

export const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256);

export function isCidr(text: string): boolean {
  const [address = "", bits = ""] = text.split("/");
  return isIpv4(address) && /^\d{1,2}$/.test(bits) && Number(bits) >= 8 && Number(bits) <= 29;
}

/** `192.168.1.10/24` without its host. */
export function networkOf(cidr: string): string {
  const { base, bits } = rangeOf(cidr);
  return `${textOf(base)}/${bits}`;
}

function rangeOf(cidr: string): { base: number; size: number; bits: number } {
  const [address = "", bits = "24"] = cidr.split("/");
  const size = 2 ** (32 - Number(bits));
  const number = numberOf(address);
  return { base: number - (number % size), size, bits: Number(bits) };
}

/** Addresses that nobody is known to have and nobody answers at. */
export async function askAddresses(request: AddressRequest, asking: Asking): Promise<Addresses> {
  const { network } = request;
  const proposal = await firstFree(request, asking);
  const { base, size } = rangeOf(network.cidr);
  const answer = await asking.ask({
    key: "first-address",
    text: "Address of the first machine",
    details: [spanText(layout(request, numberOf(proposal)))],
    proposal,
    refuse(given) {
      if (!isIpv4(given)) return "is not an address like 192.168.1.101";
      const all = allOf(layout(request, numberOf(given))).map(numberOf);
      const isInside = all.every((each) => each > base && each < base + size - 1);
      return isInside ? undefined : `leaves ${network.cidr} with the machines that follow`;
    },
  });
  return layout(request, numberOf(answer));
}

const spanText = (addresses: Addresses): string => {
  const { controlPlanes, workers, vip } = addresses;
  const span = (all: string[]): string => (all.length === 1 ? (all[0] ?? "") : `${all[0]} to ${all.at(-1)}`);
  const parts = [
    `control planes ${span(controlPlanes)}`,
    ...(workers.length === 0 ? [] : [`workers ${span(workers)}`]),
    ...(vip === undefined ? [] : [`${vip} for the API`]),
  ];
  return `Nobody answers at: ${parts.join(", ")}`;
};

function layout(
  { controlPlanes, workers }: Pick<AddressRequest, "controlPlanes" | "workers">,
  first: number,
): Addresses {
  const count = (from: number, many: number): string[] =>
    Array.from({ length: many }, (_, index) => textOf(from + index));
  return {
    controlPlanes: count(first, controlPlanes),
    workers: count(first + Math.max(gap, controlPlanes), workers),
    ...(controlPlanes >= 3 && { vip: textOf(first - 1) }),
  };
}

const allOf = ({ controlPlanes, workers, vip }: Addresses): string[] => [
  ...controlPlanes,
  ...workers,
  ...(vip === undefined ? [] : [vip]),
];

async function firstFree(request: AddressRequest, asking: Asking): Promise<string> {
  const { network, found, dial, clock } = request;
  const { base, size } = rangeOf(network.cidr);
  const isNew = found.networks.some(
    (each) => each.isNew && each.cidr && networkOf(each.cidr) === network.cidr,
  );
  const taken = new Set([network.gateway, ...found.taken].map(numberOf));
  const others = Array.from({ length: Math.min(size, 1024) }, (_, index) => index);
  for (const last of [...usualFirst, ...others]) {
    const all = allOf(layout(request, base + last)).map(numberOf);
    if (all.some((each) => each <= base || each >= base + size - 1 || taken.has(each))) continue;
    const heard = isNew ? [] : await addressesInUse(all.map(textOf), dial, { clock, signal: asking.signal });
    if (heard.length === 0) return textOf(base + last);
    asking.found(`Somebody answers at ${heard.join(", ")}`);
    for (const address of heard) taken.add(numberOf(address));
  }
  throw noAddresses({ cidr: network.cidr, needed: request.controlPlanes + request.workers });
}
