import type { Fleet, Host } from "../../spec/index.ts";

/** Something a person is asked while the first file is made. Whoever asks knows flags, files of answers and terminals. */
export interface Question {
  /** By which a flag or a file of answers answers it: `first-address`. */
  key: string;
  text: string;
  /** Shown before it, one line each. */
  details?: readonly string[];
  /** Taken when nothing is typed. */
  proposal?: string | undefined;
  choices?: readonly Choice[];
  /** What is typed is not shown, and told nowhere. */
  isSecret?: true;
  /** Only somebody who has looked may answer it: no proposal does. */
  needsPerson?: true;
  /** The proposal is almost always right: only a flag or a file says otherwise, nobody is asked. */
  isQuiet?: boolean | undefined;
  /** What is wrong with an answer, as the end of a sentence; undefined: nothing. */
  refuse?(answer: string): string | undefined;
}

export interface Choice {
  value: string;
  label: string;
}

export interface Asking {
  ask(question: Question): Promise<string>;
  /** Something that was seen, in one line. */
  found(text: string): void;
  signal: AbortSignal;
}

/** How hosts of one kind are met for the first time, before any file names them. */
export interface Discovery {
  kind: Host["provider"];
  /** As people choose it: `Proxmox VE`. */
  label: string;
  /** Asks where they are, and reads them. Changes nothing. */
  discover(asking: Asking): Promise<Discovered>;
}

export interface Discovered {
  hosts: DiscoveredHost[];
  /** What machines can be plugged into, the best first. Empty for machines that exist. */
  networks: DiscoveredNetwork[];
  /** Addresses that somebody has, also while he is off. */
  taken: string[];
  /** Machines that exist, in place of those that would be made. */
  machines?: { address: string; name: string }[] | undefined;
  /** Done when the file is agreed to and before it is written. Absent: nothing is missing. */
  access?: DiscoveredAccess | undefined;
  close(): void;
}

export interface DiscoveredAccess {
  /** What is going to be made, as the end of "also: …". */
  what: string;
  make(fleet: Fleet): Promise<MadeAccess>;
}

export interface MadeAccess {
  /** What was not there before. */
  made: string[];
  /** For files beside the cluster file, readable by this user alone. */
  files: { name: string; text: string }[];
}

export interface DiscoveredHost {
  name: string;
  /** What stands below its name in the file, and why. */
  lines: string[];
  cores: number;
  memoryFreeMiB: number;
  /** Where disks of machines would lie. */
  diskFreeGiB: number;
}

export interface DiscoveredNetwork {
  /** By which it is chosen. */
  name: string;
  label: string;
  /** Absent: it is not known there. */
  cidr?: string | undefined;
  gateway?: string | undefined;
  /** Lines of the file's `network`, beside cidr and gateway. */
  lines: string[];
  /** Tags machines can be given in it. */
  takesVlans: boolean;
  /** It is made for the cluster, so nobody else has an address in it. */
  isNew?: true;
}
