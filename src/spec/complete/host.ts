import { completeJump } from "./jump.ts";
import type { HostDraft, ClusterDraft } from "./draft.ts";
import { given } from "../../lib/index.ts";
import { secretRef, tlsTrust, type WrittenHost } from "../schema/host.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { ExistingHost, LibvirtHost, ProxmoxHost, Cluster } from "../model/cluster.ts";
import type { ExistingMachine } from "../model/existing.ts";
import { trustWord } from "../schema/existing.ts";
import { hasGuests } from "../model/distribution-kinds.ts";
import { isLibvirtHost, isProxmoxHost, makesMachines } from "../model/host-kinds.ts";

/** A host with every default filled in. */
export function completeHost(name: string, written: WrittenHost, document: LocatedDocument): HostDraft {
  const path = ["hosts", name];
  const shared = {
    name,
    overcommit: written.overcommit,
    ...given({ region: written.region }),
    ...completeJump(written.jump, document, [...path, "jump"]),
    at: document.locateKey(path),
  };
  return { document, path, host: { ...shared, ...providerOf(name, written, document) } };
}

type Own =
  | Pick<ProxmoxHost, "provider" | "proxmox">
  | Pick<LibvirtHost, "provider" | "libvirt">
  | Pick<ExistingHost, "provider" | "existing">;

/** The schema lets exactly one through. */
function providerOf(
  name: string,
  { proxmox, libvirt, existing }: WrittenHost,
  document: LocatedDocument,
): Own {
  if (existing) {
    const at = (index: number) => document.locate(["hosts", name, "existing", "machines", index, "name"]);
    const machines = existing.machines.map((written, index) => completeMachine(written, at(index)));
    return { provider: "existing", existing: { machines } };
  }
  if (proxmox) return { provider: "proxmox", proxmox: completeProxmox(name, proxmox) };
  const { uri = "", pool = "" } = libvirt ?? {};
  return {
    provider: "libvirt",
    libvirt: { uri, pool: typeof pool === "string" ? { name: pool } : pool },
  };
}

function completeProxmox(name: string, written: NonNullable<WrittenHost["proxmox"]>): ProxmoxHost["proxmox"] {
  const { url, node, token, tls, storage, pool } = written;
  return {
    url,
    node: node ?? name,
    token: { id: token.id, secret: secretRef(token.secret) },
    tls: tlsTrust(tls),
    storage: {
      images: storage.images,
      isos: storage.isos ?? storage.images,
      templates: storage.templates ?? storage.disks,
      disks: storage.disks,
      cloudInit: storage.cloudInit ?? storage.disks,
    },
    ...given({ pool }),
  };
}

type WrittenMachine = NonNullable<WrittenHost["existing"]>["machines"][number];

function completeMachine(written: WrittenMachine, at: ExistingMachine["at"]): ExistingMachine {
  const { name, address, mac, disk, fingerprint, bmc, wakeOnLan, labels = {} } = written;
  return {
    name,
    address,
    ...given({
      mac,
      disk,
      fingerprint: fingerprint === trustWord ? undefined : fingerprint,
      isTrusted: fingerprint === trustWord ? (true as const) : undefined,
      bmc: bmc && {
        url: bmc.url,
        user: bmc.user,
        password: secretRef(bmc.password),
        tls: tlsTrust(bmc.tls),
        ...given({ system: bmc.system }),
      },
      wakesOnLan: wakeOnLan ? (true as const) : undefined,
    }),
    labels,
    at,
  };
}

const nameOf = ({ name }: { name: string }): string => name;

/** What a cluster is like because of the hosts it runs on. */
export function withHostDefaults(draft: ClusterDraft, hosts: HostDraft[]): ClusterDraft {
  const own = hosts.map(({ host }) => host).filter(({ name }) => draft.cluster.on.includes(name));
  if (own.length === 0) return draft;
  const makers = own.filter(makesMachines);
  const keyless = own.filter((host) => isProxmoxHost(host) || !makesMachines(host));
  const shape: Partial<Cluster> = {
    // Disks are called otherwise on libvirt, where they are plugged in as virtio disks.
    ...(makers.length > 0 && makers.every(isLibvirtHost) && { systemDisk: "/dev/vda" }),
    ...(hasGuests(draft.cluster) && keyless.length > 0 && { keylessHosts: keyless.map(nameOf) }),
  };
  return { ...draft, cluster: { ...draft.cluster, ...shape } };
}
