import { defineError } from "../../errors/index.ts";
import { connectionText, type BodyTooLargeError } from "../../lib/index.ts";

export const factoryUnreachable = defineError(
  "FACTORY_UNREACHABLE",
  (f: { doing: string; url: string; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `the image factory ${f.url} does not answer: ${connectionText(f.cause)}`,
    next: `Check that ${f.url}/versions opens from this machine, or name a factory you can reach under talos.factory`,
    cause: f.cause,
    transient: true,
    shared: f.url,
  }),
);

export const factoryUntrusted = defineError(
  "FACTORY_TLS_UNTRUSTED",
  (f: { doing: string; url: string; reason: string; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `no authority this system trusts vouches for the certificate of ${f.url} (${f.reason})`,
    next: `Start with NODE_EXTRA_CA_CERTS=FILE naming the authority of your factory or proxy`,
    cause: f.cause,
    shared: f.url,
  }),
);

export const factoryTimedOut = defineError(
  "FACTORY_TIMEOUT",
  (f: { doing: string; url: string; limitMs: number; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `the image factory ${f.url} gave no answer within ${Math.round(f.limitMs / 1000)} s`,
    next: `Look at status.siderolabs.com, or name a factory of your own under talos.factory`,
    cause: f.cause,
    transient: true,
    shared: f.url,
  }),
);

/** An outage, or a version it does not know: the public factory says both with 500. */
export const factoryFailed = defineError(
  "FACTORY_FAILED",
  (f: { doing: string; url: string; status: number; words: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `the image factory ${f.url} answered ${f.status}${f.words === "" ? "" : `: ${f.words}`}`,
    next: `Try again in a minute; status.siderolabs.com lists outages`,
    transient: true,
    shared: f.url,
  }),
);

export const factoryRefused = defineError(
  "FACTORY_REFUSED",
  (f: { doing: string; url: string; status: number; words: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `the image factory ${f.url} answered ${f.status}${f.words === "" ? "" : `: ${f.words}`}`,
    next: `Compare extensions and kernelArgs of the cluster file with what ${f.url} offers`,
    shared: f.url,
  }),
);

/** Factories with accounts exist; what they build can be used all the same. */
export const factoryForbidden = defineError(
  "FACTORY_FORBIDDEN",
  (f: { doing: string; url: string; status: number; words: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `the image factory ${f.url} asks for an account (${f.status}${f.words === "" ? "" : ` ${f.words}`}), and Slipway has none`,
    next: `Write image: { url: … } with the address of an image the factory built for you`,
    shared: f.url,
  }),
);

export const factoryAnswerTooLarge = defineError(
  "FACTORY_ANSWER_TOO_LARGE",
  (f: { doing: string; url: string; cause: BodyTooLargeError }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} sent more than ${f.cause.mostBytes / 1024 ** 2} MiB, which no image factory does`,
    next: `Check that talos.factory names an image factory`,
    cause: f.cause,
    shared: f.url,
  }),
);

export const factoryOddAnswer = defineError(
  "FACTORY_ODD_ANSWER",
  (f: { doing: string; url: string; found: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} answered ${f.found}, which no image factory does`,
    next: `Check that talos.factory names an image factory and not a proxy's log-in page`,
    shared: f.url,
  }),
);
