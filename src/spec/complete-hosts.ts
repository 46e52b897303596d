import type { HostDraft } from "./draft.ts";
import { secretRef, tlsTrust, type WrittenHost } from "./host-schema.ts";
import type { LocatedDocument } from "./located-document.ts";

/** A host with every default filled in. */
export function completeHost(name: string, written: WrittenHost, document: LocatedDocument): HostDraft {
  const { url, node, token, tls, storage, pool } = written.proxmox;
  const path = ["hosts", name];
  return {
    document,
    path,
    host: {
      name,
      provider: "proxmox",
      proxmox: {
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
        ...(pool !== undefined && { pool }),
      },
      overcommit: written.overcommit,
      ...(written.region !== undefined && { region: written.region }),
      at: document.locateKey(path),
    },
  };
}
