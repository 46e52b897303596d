import { SlipwayError } from "../../../errors/index.ts";

interface Contact {
  cluster: string;
  node: string;
}

const orOtherwise =
  "Or let the config travel on a seed drive (libvirt): talos: { firstContact: seed } (docs/guides/first-contact.md)";

export const falseNode = (f: Contact & { address: string; printed: string; shown: string }) =>
  new SlipwayError({
    code: "TALOS_FALSE_NODE",
    what: `Cannot give "${f.node}" its config`,
    why: `whoever answers at ${f.address} shows the fingerprint ${f.shown}, but ${f.node} printed ${f.printed} on its console; nothing was sent`,
    next: `Find the other machine that has ${f.address} (on the host: ip neigh show ${f.address}), take the address from it, then run "slipway up ${f.cluster}" again`,
  });

export const consoleSilent = (f: Contact) =>
  new SlipwayError({
    code: "TALOS_CONSOLE_SILENT",
    what: `Cannot read the fingerprint of "${f.node}"`,
    why: "its serial console stayed silent through a whole start: somebody else has it open, or its image prints nothing there",
    next: `Close other windows with the console of ${f.node}; an image of your own needs console=ttyS0 among its kernel arguments. Then run "slipway up ${f.cluster}" again`,
    else: orOtherwise,
  });

export const fingerprintMissing = (f: Contact) =>
  new SlipwayError({
    code: "TALOS_NO_FINGERPRINT",
    what: `Cannot read the fingerprint of "${f.node}"`,
    why: "its serial console was read through a whole start, and no fingerprint was among what it printed",
    next: `See what it says: slipway console ${f.cluster}/${f.node} on libvirt, the xterm.js console on Proxmox`,
    else: orOtherwise,
  });

export const consoleLost = (f: { node: string; cause: unknown }) =>
  new SlipwayError({
    code: "TALOS_CONSOLE_LOST",
    what: `Cannot read the fingerprint of "${f.node}"`,
    why: "the connection to its serial console broke off",
    next: 'Run "slipway up" again',
    cause: f.cause,
    transient: true,
  });

export const memberUnproven = (f: Contact & { address: string }) =>
  new SlipwayError({
    code: "TALOS_MEMBER_UNPROVEN",
    what: `Cannot give "${f.node}" its config`,
    why: `Kubernetes hears from ${f.node}, a node that works, but something without a config answers at ${f.address}; nothing was sent, and the machine was left alone`,
    next: `See whether ${f.node} runs: slipway doctor ${f.cluster}`,
    else: `If ${f.node} lost its disk, remove it from the cluster first: kubectl delete node ${f.node}`,
  });

export const seedUnread = (f: Contact & { address: string }) =>
  new SlipwayError({
    code: "TALOS_SEED_UNREAD",
    what: `Cannot bring up "${f.node}"`,
    why: `whoever answers at ${f.address} waits for a config, but ${f.node} was given one on its seed drive; nothing was sent`,
    next: `See what it says on its console: slipway console ${f.cluster}/${f.node}`,
    else: `If it is a machine of an earlier day, remove it first: slipway down ${f.cluster}`,
  });
