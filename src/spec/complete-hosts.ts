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
        storage: { images: storage.images, disks: storage.disks },
        ...(pool !== undefined && { pool }),
      },
      at: document.locateKey(path),
    },
  };
}
