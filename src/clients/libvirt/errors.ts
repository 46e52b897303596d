import { SlipwayError } from "../../errors/index.ts";

interface Answer {
  doing: string;
  code: number;
  domain: number;
  message: string;
}

/** libvirt's numbers for what went wrong, as far as somebody does something about it. */
const kinds: Record<number, { code: string; next: string; isFleeting?: true }> = {
  3: { code: "LIBVIRT_NOT_SUPPORTED", next: "Use a newer libvirt on this host" },
  29: {
    code: "LIBVIRT_DENIED",
    next: "Connect as a user who may change things, for example one in group libvirt",
  },
  38: { code: "LIBVIRT_SYSTEM", next: "Look after what the host says, then run the same command again" },
  42: { code: "LIBVIRT_NOT_FOUND", next: "Run the same command again: what is missing is made" },
  43: { code: "LIBVIRT_NOT_FOUND", next: "Create the network, or name another one" },
  45: { code: "LIBVIRT_DENIED", next: "Add the user to group libvirt on the host, then log in anew" },
  49: { code: "LIBVIRT_NOT_FOUND", next: "Create the storage pool, or name another one" },
  50: { code: "LIBVIRT_NOT_FOUND", next: "Run the same command again: what is missing is made" },
  55: { code: "LIBVIRT_WRONG_STATE", next: "Run the same command again: it starts from what is there now" },
  67: { code: "LIBVIRT_UNSUPPORTED_HARDWARE", next: "Choose other hardware in the cluster file" },
  68: {
    code: "LIBVIRT_BUSY",
    next: "Wait for the other work on this machine and run the same command again",
    isFleeting: true,
  },
  79: { code: "LIBVIRT_DENIED", next: "Add the user to group libvirt on the host, then log in anew" },
  80: { code: "LIBVIRT_NO_METADATA", next: "Leave it alone: it was not made by Slipway" },
  86: { code: "LIBVIRT_AGENT_SILENT", next: "Wait until the guest agent runs", isFleeting: true },
  88: { code: "LIBVIRT_DENIED", next: "Ask whoever runs the host for access to libvirt" },
  90: { code: "LIBVIRT_ALREADY_EXISTS", next: "Run the same command again: what exists is used" },
  94: { code: "LIBVIRT_DENIED", next: "Add the user to group libvirt on the host, then log in anew" },
};

/** The daemon answered, and the answer is no. */
export function callFailed({ doing, code, message }: Answer): SlipwayError {
  const isThere = code === 9 && /already exists/.test(message);
  const kind = isThere ? kinds[90] : kinds[code];
  return new SlipwayError({
    code: kind?.code ?? "LIBVIRT_REFUSED",
    what: `Cannot ${doing}`,
    why: `libvirt says: ${message.trim() || `error ${code}`}`,
    next: kind?.next ?? "Look after what libvirt says, then run the same command again",
    ...(kind?.isFleeting && { transient: true }),
  });
}

export const connectionLost = (f: { doing: string; reason: string }) =>
  new SlipwayError({
    code: "LIBVIRT_CONNECTION_LOST",
    what: `Cannot ${f.doing}`,
    why: `the connection to libvirt ended: ${f.reason}`,
    next: "See that libvirtd runs on the host, then run the same command again",
    transient: true,
  });

export const polkitRefused = () =>
  new SlipwayError({
    code: "LIBVIRT_DENIED",
    what: "Cannot log in to libvirt",
    why: "it wants a way of logging in that Slipway does not speak (SASL)",
    next: "Use the socket of the host, directly or through SSH: qemu+ssh://USER@HOST/system",
  });
