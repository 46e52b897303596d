import { defineError, type SlipwayError } from "../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
}

const named = ({ cluster, node }: Place): string => `${cluster}/${node}`;

export const cloudInitFailed = defineError(
  "LINUX_CLOUD_INIT_FAILED",
  (f: Place & { complaints: string[] }) => ({
    what: `Cannot set up "${f.node}"`,
    why: `cloud-init says: ${f.complaints.slice(0, 3).join("; ") || "error"}${f.complaints.length > 3 ? ` and ${f.complaints.length - 3} more` : ""}`,
    next: `Look at all of it: slipway ssh ${named(f)} -- sudo cat /var/log/cloud-init-output.log`,
    else: `cloud-init runs once: correct the file, then "slipway down" and "slipway up" create the machine again`,
  }),
);

const orTrust =
  "If no other machines are in their network: firstContact: trust (docs/guides/first-contact.md)";

/** Its keys are not known yet, so it cannot be told from others. */
export const guestUnmet = defineError("LINUX_GUEST_UNMET", (f: Place) => ({
  what: `Cannot log in on "${f.node}"`,
  why: "its host keys are not known yet, so another machine at its address could not be told from it",
  next: `Run "slipway up ${f.cluster}", which reads them on its console`,
}));

export const falseGuest = defineError(
  "LINUX_FALSE_GUEST",
  (f: Place & { address: string }, refused: SlipwayError) => ({
    what: `Cannot log in on "${f.node}"`,
    why: `the machine that answers at ${f.address} has another host key than ${f.node} printed on its console: ${refused.why.replace(/;.*/s, "")}; nothing was sent`,
    next: `Find the other machine that has ${f.address} (on the host: ip neigh show ${f.address}), take the address from it, then run "slipway up ${f.cluster}" again`,
    cause: refused,
  }),
);

export const hostKeysMissed = defineError(
  "LINUX_HOST_KEYS_MISSED",
  (f: Place & { address: string; file: string }) => ({
    what: `Cannot tell whether "${f.node}" is what answers at ${f.address}`,
    why: `it printed its host keys on its console once, at its first start, and they are not in "${f.file}"; it may be in use, so it is not set up again`,
    next: `Put its line back into "${f.file}", from your backup or as the machine has it: "${f.address} " and what is in its /etc/ssh/ssh_host_ed25519_key.pub`,
    else: `If nothing is on it yet, remove the machine on its host; "slipway up ${f.cluster}" makes it again`,
  }),
);

export const consoleSilent = defineError("LINUX_CONSOLE_SILENT", (f: Place) => ({
  what: `Cannot read the host keys of "${f.node}"`,
  why: "its serial console printed nothing during a whole start: somebody else has it open, or its image prints nothing there",
  next: `Close other windows with the console of ${f.node}; an image of your own needs console=ttyS0 among its kernel arguments. Then run "slipway up ${f.cluster}" again`,
  else: orTrust,
}));

export const hostKeysMissing = defineError("LINUX_NO_HOST_KEYS", (f: Place) => ({
  what: `Cannot read the host keys of "${f.node}"`,
  why: "its serial console was read through a whole start, and no host keys were among what it printed",
  next: `Use an image whose cloud-init prints them (its module keys_to_console), as those of Debian and Ubuntu do`,
  else: orTrust,
}));

export const consoleLost = defineError("LINUX_CONSOLE_LOST", (f: Place & { cause: unknown }) => ({
  what: `Cannot read the host keys of "${f.node}"`,
  why: "the connection to its serial console broke off",
  next: `Run "slipway up ${f.cluster}" again`,
  cause: f.cause,
  transient: true,
}));

export const keysLost = defineError("LINUX_KEYS_LOST", (f: Place & { file: string }) => ({
  what: `Cannot log in on "${f.node}"`,
  why: `there is no key for it: "${f.file}" and the keys beside it were never made here, or are lost`,
  next: `Put "${f.file}" and its folder back from your backup; a machine that is not up yet needs "slipway up ${f.cluster}" first`,
  else: `Log in with a key of your own that the file lists: ssh USER@ADDRESS`,
}));

export const noCloudInit = defineError("LINUX_NO_CLOUD_INIT", (f: Place) => ({
  what: `Cannot tell whether "${f.node}" is set up`,
  why: "there is no cloud-init in its image",
  next: "Use a cloud image, such as Debian's genericcloud or Ubuntu's cloudimg",
}));
