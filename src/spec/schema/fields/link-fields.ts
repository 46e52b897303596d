import { z } from "zod";
import { field, type FieldNotes, quote, type Refusal, refuse, textField, wholeNumber } from "./field.ts";
import {
  broadcastOf,
  type Cidr,
  formatCidr,
  formatIpv4,
  networkOf,
  parseCidr,
  parseIpv4,
} from "../../values/ipv4.ts";

export const bridge = (notes: FieldNotes) =>
  textField(notes, {
    pattern: /^[A-Za-z][\w.-]{0,14}$/,
    code: "SPEC_BAD_NAME",
    isNot: "the name of a bridge",
    next: "Write it as the host shows it, like vmbr0; at most 15 characters",
  });

export const vlanTag = (description: string, example: number) =>
  wholeNumber({ description, examples: [example] }, 1, 4094);

export const trunks = (description: string) =>
  z
    .array(vlanTag("A VLAN's number.", 20))
    .optional()
    .register(z.globalRegistry, { description, examples: [[20, 30]] });

/** Below 1280 IPv6 stops working; above 9216 hardly any switch goes. */
export const mtu = (description: string) => wholeNumber({ description, examples: [9000] }, 1280, 9216);

/** An address together with its network: `base` is the address itself. */
export const addressInNetwork = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): Cidr | Refusal => {
    const found = typeof written === "string" ? parseCidr(written) : undefined;
    if (!found || found.prefix < 8 || found.prefix > 31) {
      const isBare = typeof written === "string" && parseIpv4(written) !== undefined;
      return refuse(
        "SPEC_BAD_ADDRESS",
        `${quote(written)} is not an address with its network`,
        isBare ? `Write ${written}/24, with the bits of its network` : "Write one like 10.20.0.11/24",
      );
    }
    const network = networkOf(found);
    if (found.prefix < 31 && (found.base === network.base || found.base === broadcastOf(network))) {
      return refuse(
        "SPEC_ADDRESS_RESERVED",
        `${formatIpv4(found.base)} is the ${found.base === network.base ? "address of the network itself" : "broadcast address"}`,
        `Write an address inside, like ${formatCidr({ base: network.base + 11, prefix: found.prefix })}`,
      );
    }
    return found;
  });

const namePattern =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

export const isHostName = (text: string): boolean => namePattern.test(text);

export const domain = (notes: FieldNotes, example: string) =>
  textField(notes, {
    pattern: namePattern,
    code: "SPEC_BAD_NAME",
    isNot: "a domain",
    next: `Write a domain like ${example}`,
  });
