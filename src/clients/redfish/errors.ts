import { defineError } from "../../errors/index.ts";
import { connectionText } from "../../lib/index.ts";

interface Asked {
  doing: string;
  url: string;
}

export const redfishUnreachable = defineError("REDFISH_UNREACHABLE", (f: Asked & { cause: unknown }) => ({
  what: `Cannot ${f.doing}`,
  why: `the controller at ${f.url} does not answer: ${connectionText(f.cause)}`,
  next: `Check that ${f.url}/redfish/v1/ opens from this computer`,
  cause: f.cause,
  transient: true,
}));

export const redfishTimedOut = defineError("REDFISH_TIMEOUT", (f: Asked & { seconds: number }) => ({
  what: `Cannot ${f.doing}`,
  why: `the controller at ${f.url} gave no answer within ${f.seconds} s`,
  next: "Try again; a controller that hangs is restarted on its own page",
  transient: true,
}));

export const redfishUntrusted = defineError(
  "REDFISH_TLS_UNTRUSTED",
  (f: Asked & { found: string; problem: string }) => ({
    what: `Cannot trust the certificate of ${f.url}`,
    why: `its SHA-256 fingerprint is ${f.found}; ${f.problem}`,
    next: `Compare it with what the page of the controller shows, and if equal write tls: { fingerprint: "${f.found}" }`,
  }),
);

export const redfishLoginRefused = defineError(
  "REDFISH_LOGIN_REFUSED",
  (f: Asked & { user: string; status: number }) => ({
    what: `Cannot ${f.doing}`,
    why: `the controller at ${f.url} does not let "${f.user}" in (${f.status})`,
    next: "Correct user or password, or give the user the right to switch the machine",
  }),
);

export const redfishRefused = defineError(
  "REDFISH_REFUSED",
  (f: Asked & { status: number; words: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `the controller at ${f.url} answered ${f.status}${f.words === "" ? "" : `: ${f.words}`}`,
    next: "See what its own page says of the machine",
    transient: f.status >= 500,
  }),
);

export const redfishSystemUnclear = defineError(
  "REDFISH_SYSTEM_UNCLEAR",
  (f: Asked & { wanted: string | undefined; found: string[] }) => ({
    what: `Cannot ${f.doing}`,
    why:
      f.wanted === undefined
        ? `the controller at ${f.url} has ${f.found.length} systems: ${f.found.join(", ")}`
        : `the controller at ${f.url} has no system "${f.wanted}", but ${f.found.join(", ") || "none"}`,
    next: `Write system: with one of them beside its url`,
  }),
);
