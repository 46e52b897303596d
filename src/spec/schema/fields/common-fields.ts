import { field, type FieldNotes, quote, type Refusal, refuse, textField } from "./field.ts";
import { type Cidr, formatCidr, networkOf, parseCidr, parseIpv4 } from "../../values/ipv4.ts";
import { resolveAddress } from "../../values/addresses.ts";
import { fromDhcp } from "../../model/dhcp-address.ts";
import { explainSize, parseSize } from "../../values/sizes.ts";
import { nameInSeries, parseNameSeries, type NameSeries } from "../../values/name-series.ts";
import { parseVersion } from "../../values/versions.ts";

/** A size in bytes. */
export const size = (notes: FieldNotes) =>
  field(
    { type: "string", pattern: "^\\d+(\\.\\d+)? ?(MiB|GiB|TiB|MB|GB|TB)$", ...notes },
    (written): number | Refusal => {
      if (typeof written === "number") {
        return refuse(
          "SPEC_BAD_QUANTITY",
          `${written} is a size without a unit`,
          explainSize(String(written)),
        );
      }
      const bytes = typeof written === "string" ? parseSize(written) : undefined;
      if (bytes !== undefined) return bytes;
      const next = explainSize(typeof written === "string" ? written : "");
      return refuse("SPEC_BAD_QUANTITY", `${quote(written)} is not a size`, next);
    },
  );

const anyNetwork: Cidr = { base: 0, prefix: 0 };

/** An address, whole or short; it is put into its network later. YAML takes `.101` for a number, so editors are told so. */
export const address = (notes: FieldNotes) =>
  field({ type: ["string", "number"], ...notes }, (written): string | Refusal => {
    if (typeof written === "string" && resolveAddress(anyNetwork, written) !== undefined) return written;
    return refuse("SPEC_BAD_ADDRESS", `${quote(written)} is not an address`, adviseAddress(written));
  });

/** The same, or `dhcp` where only a DHCP server knows it. */
export const addressOrDhcp = (notes: FieldNotes) =>
  field({ type: ["string", "number"], ...notes }, (written): string | Refusal => {
    if (written === fromDhcp) return written;
    if (typeof written === "string" && resolveAddress(anyNetwork, written) !== undefined) return written;
    return refuse("SPEC_BAD_ADDRESS", `${quote(written)} is not an address`, adviseAddress(written));
  });

function adviseAddress(written: unknown): string {
  if (typeof written === "number" && Number.isInteger(written) && written > 0 && written < 255) {
    return `Write .${written}, or the whole address`;
  }
  const text = typeof written === "string" ? written : "";
  const withoutBits = text.replace(/\/\d+$/, "");
  if (withoutBits !== text && parseIpv4(withoutBits) !== undefined)
    return `Write ${withoutBits}, without the bits`;
  if (text.includes(":")) return "Write an IPv4 address; IPv6 nodes are not known to this version";
  return "Write a whole address like 192.168.1.101, or its end like .101";
}

/** A network, e.g. 192.168.1.0/24. */
export const cidr = (notes: FieldNotes, least: number, most: number) =>
  field({ type: "string", ...notes }, (written): Cidr | Refusal => {
    const found = typeof written === "string" ? parseCidr(written) : undefined;
    if (!found) return refuse("SPEC_BAD_CIDR", `${quote(written)} is not a network`, adviseCidr(written));
    const network = networkOf(found);
    if (network.base !== found.base) {
      const what = `${formatCidr(found)} is an address in a network, not a network`;
      return refuse("SPEC_BAD_CIDR", what, `Write ${formatCidr(network)}`);
    }
    if (found.prefix >= least && found.prefix <= most) return network;
    const what = `/${found.prefix} is too ${found.prefix < least ? "large" : "small"} a network here`;
    return refuse("SPEC_BAD_CIDR", what, `Write a network from /${least} to /${most}`);
  });

function adviseCidr(written: unknown): string {
  const text = typeof written === "string" ? written : "";
  const found = parseIpv4(text);
  if (found !== undefined)
    return `Write ${formatCidr(networkOf({ base: found, prefix: 24 }))}, with the bits behind it`;
  if (text.includes(":")) return "Write an IPv4 network; IPv6 is not known to this version";
  return "Write a network like 192.168.1.0/24";
}

/** A full version, without the v it may be written with. */
export const version = (notes: FieldNotes, example: string) =>
  field(
    { type: "string", pattern: "^v?\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$", ...notes },
    (written): string | Refusal => {
      if (typeof written === "string" && parseVersion(written)) return written.replace(/^v/, "");
      const found = typeof written === "number" ? "This" : quote(written);
      return refuse(
        "SPEC_BAD_VERSION",
        `${found} is not a full version`,
        `Write all three numbers, like ${example}`,
      );
    },
  );

const labelPattern = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A name that may stand in a host name: a DNS label. */
export const isDnsLabel = (name: string): boolean => labelPattern.test(name);

export function adviseLabel(name: string): string {
  const repaired = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 63);
  if (name.length <= 63 && isDnsLabel(repaired))
    return `Write ${repaired}: small letters, digits and hyphens only`;
  return "Use small letters, digits and hyphens, a letter first, at most 63 in all";
}

/** A series of names, such as `cp-{01}`. */
export const nodeNames = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): NameSeries | Refusal => {
    const series = typeof written === "string" ? parseNameSeries(written) : undefined;
    if (series && isDnsLabel(nameInSeries(series, 1))) return series;
    return refuse(
      "SPEC_BAD_NAME",
      `${quote(written)} is not a series of names`,
      `Write ${adviseSeries(written)}: small letters, digits and hyphens, and at the end the first number in braces`,
    );
  });

const adviseSeries = (written: unknown): string =>
  typeof written === "string" && isDnsLabel(written) ? `"${written}-{1}"` : '"talos-cp-{01}"';

/** The name of something that is defined elsewhere. Hypervisors read more than a name behind some signs. */
export const reference = (notes: FieldNotes) =>
  textField(notes, {
    pattern: /^[^\s,;:=/\\"'<>&|$`]+( [^\s,;:=/\\"'<>&|$`]+)*$/,
    code: "SPEC_WRONG_TYPE",
    isNot: "a name",
    next: "Write its name: letters, digits, dots, hyphens and underscores",
  });

export const anyText = (notes: FieldNotes) =>
  textField(notes, {
    pattern: /\S/,
    code: "SPEC_WRONG_TYPE",
    isNot: "a text",
    next: "Write a text, in quotes if it looks like a number",
  });

/** The same over several lines. */
export const anyLines = (notes: FieldNotes) =>
  textField(notes, {
    pattern: /\S/,
    code: "SPEC_WRONG_TYPE",
    isNot: "a text",
    next: "Write a text, in quotes if it looks like a number",
    isMultiline: true,
  });

export const mac = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    const text = typeof written === "string" ? written.toLowerCase().replaceAll("-", ":") : "";
    if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(text)) {
      return refuse(
        "SPEC_BAD_MAC",
        `${quote(written)} is not a MAC address`,
        "Write six pairs of digits, like 02:a1:b2:c3:d4:e5",
      );
    }
    if (Number.parseInt(text.slice(0, 2), 16) % 2 === 1) {
      const next = `Write an even first pair, like 02${text.slice(2)}`;
      return refuse("SPEC_BAD_MAC", `${quote(written)} is a group address, no machine can have it`, next);
    }
    return text;
  });
