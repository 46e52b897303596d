import { defineError } from "../../errors/index.ts";
import { connectionText } from "../../lib/index.ts";

interface Asked {
  doing: string;
  base: string;
}

export const s3Unreachable = defineError("S3_UNREACHABLE", (f: Asked & { cause: unknown }) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.base} does not answer: ${connectionText(f.cause)}`,
  next: `Check that ${f.base} can be reached from this computer`,
  cause: f.cause,
  transient: true,
}));

export const s3TimedOut = defineError("S3_TIMEOUT", (f: Asked & { seconds: number }) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.base} gave no answer within ${f.seconds} s`,
  next: "Try again; if it happens often, see what the server logs",
  transient: true,
}));

export const s3Untrusted = defineError(
  "S3_TLS_UNTRUSTED",
  (f: { base: string; found: string; problem: string }) => ({
    what: `Cannot trust the certificate of ${f.base}`,
    why: `its SHA-256 fingerprint is ${f.found}; ${f.problem}`,
    next: `Compare it with the server's own, and if equal write tls: { fingerprint: "${f.found}" } beside its endpoint`,
  }),
);

export const s3Denied = defineError("S3_DENIED", (f: Asked & { code: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.base} does not allow it${f.code === "" ? "" : ` (${f.code})`}`,
  next: "Check accessKey, secretKey and region, and that the key may list, read, write and delete there",
}));

export const s3NotFound = defineError("S3_NOT_FOUND", (f: Asked) => ({
  what: `Cannot ${f.doing}`,
  why: `it is not in ${f.base}`,
  next: "See what is there: slipway backup list",
}));

export const s3NoBucket = defineError("S3_NO_BUCKET", (f: Asked & { bucket: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `there is no bucket "${f.bucket}" at ${f.base}`,
  next: `Make it, or correct its name in "backups" of the cluster file`,
}));

export const s3Refused = defineError("S3_REFUSED", (f: Asked & { status: number; words: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.base} answered ${f.status}${f.words === "" ? "" : `: ${f.words}`}`,
  next: "See what the server logs, then run the command again",
  transient: f.status >= 500 || f.status === 429,
}));

export const s3Cut = defineError("S3_CUT_SHORT", (f: Asked & { cause: unknown }) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.base} broke off: ${connectionText(f.cause)}`,
  next: "Run the command again",
  cause: f.cause,
  transient: true,
}));
