import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import { field, type FieldNotes, quote, type Refusal, refuse, refuseControl } from "./field.ts";
import { isHostName } from "./link-fields.ts";
import { talosMinors } from "../../values/versions.ts";

/** `v1.13`, with or without the v; a number is refused, because 1.10 would be 1.1. */
export const contract = field(
  {
    type: "string",
    pattern: "^v?1\\.\\d+$",
    description:
      "The Talos minor whose form the machine configs have. Left out: that of the running cluster, or of the version.",
    examples: ["v1.13"],
  },
  (written): string | Refusal => {
    const found = typeof written === "string" ? /^v?1\.(\d+)$/.exec(written) : null;
    if (found && talosMinors.some(({ minor }) => minor === Number(found[1]))) return `1.${found[1]}`;
    const [oldest, newest] = [talosMinors[0]?.minor, talosMinors.at(-1)?.minor];
    const what = found
      ? `Configs of Talos 1.${found[1]} are not known to this version`
      : `${quote(written)} is not a minor version of Talos`;
    return refuse("SPEC_BAD_CONTRACT", what, `Write one from v1.${oldest} to v1.${newest}, with the v`);
  },
);

/** Numbers are what sysctls and arguments mostly are; Talos wants them as text. */
export const textOrNumber = (description: string, example: string) =>
  field(
    { type: ["string", "number", "boolean"], description, examples: [example] },
    (written): string | Refusal => {
      const refused = refuseControl(written);
      if (refused) return refused;
      if (typeof written === "string" || typeof written === "number" || typeof written === "boolean")
        return String(written);
      return refuse(
        "SPEC_WRONG_TYPE",
        `This is ${quote(written)}, not a text`,
        `Write a text like "${example}"`,
      );
    },
  );

export const sysctlKey = z.string().regex(/^[a-z0-9_]+([./][A-Za-z0-9_-]+)+$/);
export const registryHost = z.string().regex(/^(\*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?$/);
export const argumentName = z.string().regex(/^[a-z][a-z0-9-]*$/);
export const manifestName = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);

export const certificateName = field(
  { type: "string", description: "A name or an address.", examples: ["k8s.example.org"] },
  (written): string | Refusal => {
    const text = typeof written === "string" ? written.replace(/^\*\./, "") : "";
    if (isHostName(text) || isIP(text) !== 0) return String(written);
    const next = "Write a name like k8s.example.org, or an address";
    return refuse("SPEC_BAD_NAME", `${quote(written)} is neither a name nor an address`, next);
  },
);

/** Read once, so that a cut or wrongly indented text is found here and not on a node. */
export const certificate = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    if (typeof written === "string" && isCertificate(written)) return written;
    const next = 'Paste the certificate below "ca: |", from its BEGIN to its END line';
    return refuse("SPEC_BAD_CERTIFICATE", "This is not a certificate as PEM text", next);
  });

function isCertificate(text: string): boolean {
  if (!text.startsWith("-----BEGIN CERTIFICATE-----")) return false;
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
