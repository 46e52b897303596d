import type { HostView } from "../../linux/index.ts";
import type { Member } from "../cluster.ts";
import { paths } from "../paths.ts";

/** What a host's disk says about the etcd it is part of. */
export interface Database {
  cluster: string;
  member: string;
}

export function readDatabase({ files }: Pick<HostView, "files">): Database | undefined {
  const text = files.read(paths.etcdData)?.toString("utf8");
  return text === undefined ? undefined : (JSON.parse(text) as Database);
}

export function writeDatabase({ files }: Pick<HostView, "files">, cluster: string, member: Member): void {
  files.write(paths.etcdData, JSON.stringify({ cluster, member: member.id } satisfies Database), 0o600);
  const config = `name: ${member.name}\nadvertise-client-urls: https://${member.address}:2379\n`;
  files.write(`${paths.etcd}/config`, config, 0o600);
}

/** Of the member this host is or will be; kept from before it joins. */
export function memberName({ files, random }: HostView, node: string): string {
  const known = files.read(paths.etcdName)?.toString("utf8");
  if (known !== undefined) return known;
  const made = `${node}-${random.bytes(4).toString("hex")}`;
  files.write(paths.etcdName, made, 0o600);
  return made;
}

/** The database of a member that was removed is put aside. */
export function setDatabaseAside({ files, clock }: HostView): void {
  const aside = `${paths.etcd}-old-${Math.floor(clock.now() / 1000)}`;
  for (const path of files.below(paths.etcd)) {
    const content = files.read(path);
    if (content !== undefined) files.write(`${aside}${path.slice(paths.etcd.length)}`, content, 0o600);
  }
  files.remove(paths.etcd);
}
