import { field, type FieldNotes, quote, type Refusal, refuse, refuseControl } from "./field.ts";
import { looksLikeSecret } from "../../source/hide-secrets.ts";

const defaultPort = "8006";

/** The address of a Proxmox API; the port may be left out. */
export const proxmoxUrl = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    if (typeof written !== "string") {
      return refuse(
        "SPEC_BAD_URL",
        `${quote(written)} is not a URL`,
        "Write a URL like https://192.168.1.10:8006",
      );
    }
    const found = /^https:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?\/?$/i.exec(written);
    if (found && URL.canParse(written))
      return `https://${(found[1] ?? "").toLowerCase()}:${found[2] ?? defaultPort}`;
    if (/^http:/i.test(written)) {
      return refuse(
        "SPEC_BAD_URL",
        "Proxmox speaks HTTPS only",
        `Write ${written.replace(/^http:/i, "https:")}`,
      );
    }
    return refuse(
      "SPEC_BAD_URL",
      `${quote(withoutUser(written))} is not the URL of a Proxmox API`,
      adviseUrl(written),
    );
  });

function adviseUrl(written: string): string {
  const bare = /^(?:https:\/\/)?(?:[^@/]*@)?([a-z0-9.-]+)(?::(\d{1,5}))?(?:\/.*)?$/i.exec(written);
  if (!bare) return "Write a URL like https://192.168.1.10:8006";
  return `Write https://${bare[1]}:${bare[2] ?? defaultPort}`;
}

/** `user:password@` in a URL is a secret like any other. */
const withoutUser = (url: string): string => url.replace(/\/\/[^@/]*@/, "//…@");

/** A user without a password says nothing that others may not know. */
const holdsPassword = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:[^/?#]*@/i.test(url);

/** Where it goes, plans and logs show it, and hypervisors keep it for all to read. */
export function passwordInUrl(): Refusal {
  const refusal = refuse(
    "SPEC_SECRET_IN_FILE",
    "This address holds a password",
    "Take it out, and let the server hand this out without one, or bring the file along and name its path",
  );
  refusal.fault.isSecret = true;
  return refusal;
}

/** An https URL of any service. */
export const httpsUrl = (notes: FieldNotes, example: string, schemes = /^https:\/\//i) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    const refused = refuseControl(written);
    if (refused) return refused;
    if (typeof written === "string" && holdsPassword(written)) return passwordInUrl();
    const isUrl = typeof written === "string" && schemes.test(written) && URL.canParse(written);
    if (isUrl) return written.replace(/\/+$/, "");
    const found = typeof written === "string" ? quote(withoutUser(written)) : quote(written);
    return refuse("SPEC_BAD_URL", `${found} is not a URL that works here`, `Write a URL like ${example}`);
  });

export const tokenId = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    const text = typeof written === "string" ? written : "";
    if (/^[^\s@!=:/]+@[A-Za-z][\w.-]+![A-Za-z][\w.-]+$/.test(text)) return text;
    if (/![\w.-]+=/.test(text) || looksLikeSecret(text))
      return secretInFile("The id holds the secret of the token as well");
    return refuse(
      "SPEC_BAD_TOKEN_ID",
      `${quote(written)} is not the id of an API token`,
      'Write USER@REALM!NAME, like "slipway@pve!main"',
    );
  });

/** Nothing of a secret is ever repeated, not even to say that it is wrong. */
export function secretInFile(what: string, example = "secret: { env: PVE_TOKEN }"): Refusal {
  const next = `Name its place instead: ${example}, file, command, age or sops`;
  const refusal = refuse("SPEC_SECRET_IN_FILE", what, next);
  refusal.fault.isSecret = true;
  return refusal;
}

export const environmentName = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    const text = typeof written === "string" ? written : "";
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
    const bare = text.replace(/^\$\{?|\}$/g, "");
    if (bare !== text && /^[A-Za-z_][A-Za-z0-9_]*$/.test(bare)) {
      return refuse("SPEC_BAD_NAME", "The name of a variable has no $ in front", `Write ${bare}`);
    }
    return secretInFile("This is not the name of an environment variable");
  });

export const fingerprint = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    const digits = typeof written === "string" ? written.replaceAll(":", "").toUpperCase() : "";
    if (/^[0-9A-F]{64}$/.test(digits)) return (digits.match(/../g) ?? []).join(":");
    const what = /^[0-9A-F]{40}$/.test(digits)
      ? "This is a SHA-1 fingerprint, SHA-256 is needed"
      : "This is not a SHA-256 fingerprint of 32 pairs";
    return refuse("SPEC_BAD_FINGERPRINT", what, 'Copy it from the host: "pvenode cert info" shows it');
  });

const checksumLengths: Record<string, number> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

export type ChecksumAlgorithm = "sha256" | "sha512" | "md5" | "sha1";

export const checksum = (notes: FieldNotes) =>
  field(
    { type: "string", ...notes },
    (written): { algorithm: ChecksumAlgorithm; value: string } | Refusal => {
      const [algorithm, value] = typeof written === "string" ? written.toLowerCase().split(":") : [];
      const length = Object.hasOwn(checksumLengths, algorithm ?? "")
        ? checksumLengths[algorithm ?? ""]
        : undefined;
      if (length !== undefined && value?.length === length && /^[0-9a-f]+$/.test(value)) {
        return { algorithm: algorithm as ChecksumAlgorithm, value };
      }
      const next =
        length === undefined
          ? "Write sha256: and 64 hex digits"
          : `Write ${algorithm}: and ${length} hex digits`;
      return refuse("SPEC_BAD_CHECKSUM", `${quote(written)} is not a checksum`, next);
    },
  );
