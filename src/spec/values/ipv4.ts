/** An IPv4 network: its first address as a number, and how many bits name it. */
export interface Cidr {
  base: number;
  prefix: number;
}

/** `192.168.1.10` as a number, or nothing when it is no address. Leading zeros are refused: some programs read them as octal. */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    const octet = parseOctet(part);
    if (octet === undefined) return undefined;
    value = value * 256 + octet;
  }
  return value;
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** Reads `10.0.0.0/16`; bits behind the prefix are kept in `base` so that a caller can point at them. */
export function parseCidr(text: string): Cidr | undefined {
  const [address, bits, ...rest] = text.split("/");
  const base = parseIpv4(address ?? "");
  if (base === undefined || bits === undefined || rest.length > 0) return undefined;
  if (!/^(0|[1-9]\d?)$/.test(bits) || Number(bits) > 32) return undefined;
  return { base, prefix: Number(bits) };
}

export const formatCidr = (cidr: Cidr): string => `${formatIpv4(cidr.base)}/${cidr.prefix}`;

export const cidrSize = (cidr: Cidr): number => 2 ** (32 - cidr.prefix);

/** The same network with nothing behind its prefix. */
export const networkOf = (cidr: Cidr): Cidr => ({
  base: cidr.base - (cidr.base % cidrSize(cidr)),
  prefix: cidr.prefix,
});

export const broadcastOf = (cidr: Cidr): number => cidr.base + cidrSize(cidr) - 1;

export const isInside = (cidr: Cidr, address: number): boolean =>
  address >= cidr.base && address <= broadcastOf(cidr);

export const overlaps = (one: Cidr, other: Cidr): boolean =>
  isInside(one, other.base) || isInside(other, one.base);

export function parseOctet(text: string): number | undefined {
  if (!/^(0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 255 ? value : undefined;
}
