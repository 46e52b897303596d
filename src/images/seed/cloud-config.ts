import { given } from "../../lib/index.ts";
import { quotedYaml } from "./quoted-yaml.ts";

/** What cloud-init does at the first start of a machine. Data all the way: nothing is ever pasted into a text. */
export interface CloudConfig {
  users?: CloudUser[] | undefined;
  packages?: string[] | undefined;
  files?: CloudFile[] | undefined;
  /** Each a program and its arguments; no shell is involved. */
  commands?: string[][] | undefined;
  /** By kind, the private part of a key pair the machine shows to who connects to it, as OpenSSH writes it. */
  hostKeys?: Partial<Record<HostKeyKind, string>>;
  /** `Europe/Berlin`. */
  timezone?: string | undefined;
}

export type HostKeyKind = "ed25519" | "ecdsa" | "rsa";

export interface CloudUser {
  name: string;
  /** May become root without a password. */
  isAdmin?: boolean;
  authorizedKeys: string[];
}

export interface CloudFile {
  path: string;
  content: string;
  /** `0644`. */
  mode?: string | undefined;
}

/** As cloud-init reads it. An empty one is just the line by which it is recognised. */
export function writeCloudConfig(config: CloudConfig): string {
  const { users, packages, files, commands, hostKeys, timezone } = config;
  const written = given({
    users: users?.map(writtenUser),
    ssh_pwauth: users && false,
    ssh_deletekeys: hostKeys && true,
    ssh_keys: hostKeys && writtenKeys(hostKeys),
    timezone,
    package_update: packages && true,
    packages,
    write_files: files?.map(({ path, content, mode }) => ({ path, content, permissions: mode })),
    runcmd: commands,
  });
  const body = Object.keys(written).length === 0 ? "" : quotedYaml(written);
  return `#cloud-config\n${body}`;
}

/** The public part is made of it. sshd takes no key whose last line has no end. */
const writtenKeys = (keys: Partial<Record<HostKeyKind, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(keys).map(([kind, text]) => [`${kind}_private`, `${text.trimEnd()}\n`]));

const writtenUser = ({ name, isAdmin, authorizedKeys }: CloudUser) => ({
  name,
  shell: "/bin/bash",
  lock_passwd: true,
  sudo: isAdmin ? "ALL=(ALL) NOPASSWD:ALL" : undefined,
  ssh_authorized_keys: authorizedKeys,
});
