import { completeJump } from "./complete-jump.ts";
import type { HostDraft } from "./draft.ts";
import { given } from "./given.ts";
import { secretRef, tlsTrust, type WrittenHost } from "./host-schema.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { LibvirtHost, ProxmoxHost } from "./model.ts";

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
  return { document, path, host: { ...shared, ...providerOf(name, written) } };
}

type Own = Pick<ProxmoxHost, "provider" | "proxmox"> | Pick<LibvirtHost, "provider" | "libvirt">;

/** The schema lets exactly one through. */
function providerOf(name: string, { proxmox, libvirt }: WrittenHost): Own {
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
