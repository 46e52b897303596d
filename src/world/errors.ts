import { defineError, type Position } from "../errors/index.ts";
import type { BodyTooLargeError } from "../lib/index.ts";
import type { LibvirtHost } from "../spec/index.ts";

export const badUri = defineError("LIBVIRT_BAD_URI", (host: LibvirtHost, problems: string[]) => ({
  what: `Cannot reach libvirt of host "${host.name}"`,
  why: problems.join("; "),
  next: "Write uri: qemu:///system, or qemu+ssh://USER@HOST/system",
  at: host.at,
}));

export const textTooLarge = defineError(
  "FETCH_TOO_LARGE",
  (f: { url: string; cause: BodyTooLargeError }) => ({
    what: `Cannot fetch "${f.url}"`,
    why: `the server sent more than ${f.cause.mostBytes / 1024 ** 2} MiB where a text was expected`,
    next: "Check that the address is that of the text itself, not of an archive or an image",
    cause: f.cause,
  }),
);

export const textUnfetchable = defineError(
  "FETCH_FAILED",
  (f: { url: string; why: string; cause?: unknown }) => ({
    what: `Cannot fetch "${f.url}"`,
    why: f.why,
    next: "Check the address and whether it can be reached from here, or save the text beside the cluster file and name the file",
    transient: true,
    cause: f.cause,
  }),
);

export const fileTooLarge = defineError("FETCH_FILE_TOO_LARGE", (f: { url: string; mostBytes: number }) => ({
  what: `Cannot fetch the file "${f.url}"`,
  why: `the server sent more than ${f.mostBytes / 1024 ** 2} MiB; what came was removed again`,
  next: "Check the address, or bring the files along in a folder and name it in the cluster file",
}));

export const fileUnfetchable = defineError(
  "FETCH_FILE_FAILED",
  (f: { url: string; why: string; cause?: unknown }) => ({
    what: `Cannot fetch the file "${f.url}"`,
    why: f.why,
    next: "Check the address and whether it can be reached from here, or bring the files along in a folder and name it in the cluster file",
    transient: true,
    cause: f.cause,
  }),
);

export const caFileUnreadable = defineError(
  "SPEC_CA_FILE_UNREADABLE",
  (f: { host: string; file: string; at?: Position | undefined; cause: unknown }) => ({
    what: `Cannot trust host "${f.host}"`,
    why: `its CA file "${f.file}" cannot be read`,
    next: `Copy /etc/pve/pve-root-ca.pem of the host to "${f.file}" beside the cluster file`,
    at: f.at,
    cause: f.cause,
  }),
);
