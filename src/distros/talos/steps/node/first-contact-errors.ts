import { defineError } from "../../../../errors/index.ts";

interface Contact {
  cluster: string;
  node: string;
}

const orOtherwise =
  "Send the config on a seed drive (libvirt): talos: { firstContact: seed } (docs/guides/first-contact.md)";

export const falseNode = defineError(
  "TALOS_FALSE_NODE",
  (f: Contact & { address: string; printed: string; shown: string }) => ({
    what: `Cannot give "${f.node}" its config`,
    why: `the machine that answers at ${f.address} shows the fingerprint ${f.shown}, but ${f.node} printed ${f.printed} on its console; nothing was sent`,
    next: `Find the other machine that has ${f.address} (on the host: ip neigh show ${f.address}), take the address from it, then run "slipway up ${f.cluster}" again`,
  }),
);

export const consoleSilent = defineError("TALOS_CONSOLE_SILENT", (f: Contact) => ({
  what: `Cannot read the fingerprint of "${f.node}"`,
  why: "its serial console printed nothing during a whole start: somebody else has it open, or its image prints nothing there",
  next: `Close other windows with the console of ${f.node}; an image of your own needs console=ttyS0 among its kernel arguments. Then run "slipway up ${f.cluster}" again`,
  else: orOtherwise,
}));

export const fingerprintMissing = defineError("TALOS_NO_FINGERPRINT", (f: Contact) => ({
  what: `Cannot read the fingerprint of "${f.node}"`,
  why: "its serial console was read through a whole start, and no fingerprint was among what it printed",
  next: `See what it says: slipway console ${f.cluster}/${f.node} on libvirt, the xterm.js console on Proxmox`,
  else: orOtherwise,
}));

export const consoleLost = defineError("TALOS_CONSOLE_LOST", (f: { node: string; cause: unknown }) => ({
  what: `Cannot read the fingerprint of "${f.node}"`,
  why: "the connection to its serial console broke off",
  next: 'Run "slipway up" again',
  cause: f.cause,
  transient: true,
}));

export const memberUnproven = defineError("TALOS_MEMBER_UNPROVEN", (f: Contact & { address: string }) => ({
  what: `Cannot give "${f.node}" its config`,
  why: `Kubernetes sees ${f.node} as a working node, but a machine without a config answers at ${f.address}; nothing was sent, and the machine was left alone`,
  next: `See whether ${f.node} runs: slipway doctor ${f.cluster}`,
  else: `If ${f.node} lost its disk, remove it from the cluster first: kubectl delete node ${f.node}`,
}));

export const seedUnread = defineError("TALOS_SEED_UNREAD", (f: Contact & { address: string }) => ({
  what: `Cannot bring up "${f.node}"`,
  why: `the machine that answers at ${f.address} waits for a config, but ${f.node} was given one on its seed drive; nothing was sent`,
  next: `See what it says on its console: slipway console ${f.cluster}/${f.node}`,
  else: `If it is left over from an earlier cluster, remove it first: slipway down ${f.cluster}`,
}));

export const otherFingerprint = defineError(
  "TALOS_OTHER_FINGERPRINT",
  (f: Contact & { address: string; written: string; shown: string }) => ({
    what: `Cannot give "${f.node}" its config`,
    why: `the machine that answers at ${f.address} shows the fingerprint ${f.shown}, and the file says ${f.written}; nothing was sent`,
    next: `Compare it with the screen of ${f.node}: it makes a new one at every start. Write the one it shows there, then run "slipway up ${f.cluster}" again`,
  }),
);
