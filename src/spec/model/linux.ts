import type { Position } from "../../errors/index.ts";
import type { Architecture, FirstContact, ImageSource } from "./image.ts";

/** Plain machines from a cloud image. */
export interface LinuxDistribution extends GuestSystem {
  kind: "linux";
}

/** The system of a machine that starts from a cloud image: cloud-init sets it up, SSH leads to it. */
export interface GuestSystem {
  architecture: Architecture;
  /** Cloud images start with whatever firmware the machine has. */
  isSecureBoot?: never;
  /** Absent only where machines are cloned from a template of the user's own. */
  image?: ImageSource;
  /** Who logs in; may become root without a password. */
  user: string;
  keys: LoginKey[];
  packages: string[];
  files: GuestFile[];
  /** Each a program and its arguments; no shell is involved. */
  commands: string[][];
  /** `Europe/Berlin`. */
  timezone?: string;
  /** Of machines that make their host keys themselves. */
  firstContact: GuestContact;
}

/** How a machine is known that was given no host key. */
export type GuestContact = Exclude<FirstContact, "seed">;

/** A public key as OpenSSH writes it, or the file that holds some; files are read when the cluster file is loaded. */
export type LoginKey = { text: string } | { file: string; at: Position };

/** A file in the guest. */
export type GuestFile = { path: string; mode?: string | undefined } & (
  | { content: string }
  | { file: string; at: Position }
);
