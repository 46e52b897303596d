import { defineError, type ErrorDefinition, type SlipwayError } from "../../errors/index.ts";
import { connectionText } from "../../lib/index.ts";

interface Answer {
  doing: string;
  code: number;
  domain: number;
  message: string;
}

const refused = (code: string, next: string, transient = false) =>
  defineError(code, (f: Answer) => ({
    what: `Cannot ${f.doing}`,
    why: `libvirt says: ${f.message.trim() || `error ${f.code}`}`,
    next,
    transient,
  }));

const notInGroup = refused("LIBVIRT_DENIED", "Add the user to group libvirt on the host, then log in again");
const missing = refused("LIBVIRT_NOT_FOUND", "Run the same command again: what is missing is made");

/** By libvirt's number, as far as somebody does something about it. */
export const callErrors: Record<number, ErrorDefinition<[Answer]>> = {
  3: refused("LIBVIRT_NOT_SUPPORTED", "Use a newer libvirt on this host"),
  29: refused("LIBVIRT_DENIED", "Use a user who may change things, for example one in group libvirt"),
  38: refused("LIBVIRT_SYSTEM", "Correct what the host names, then run the same command again"),
  42: missing,
  43: refused("LIBVIRT_NOT_FOUND", "Create the network, or name another one"),
  45: notInGroup,
  49: refused("LIBVIRT_NOT_FOUND", "Create the storage pool, or name another one"),
  50: missing,
  55: refused("LIBVIRT_WRONG_STATE", "Run the same command again: it starts from what is there now"),
  67: refused("LIBVIRT_UNSUPPORTED_HARDWARE", "Choose other hardware in the cluster file"),
  68: refused("LIBVIRT_BUSY", "Wait for the other work on this machine and run the same command again", true),
  79: notInGroup,
  80: refused("LIBVIRT_NO_METADATA", "Leave it alone: it was not made by Slipway"),
  86: refused("LIBVIRT_AGENT_SILENT", "Wait until the guest agent runs", true),
  88: refused("LIBVIRT_DENIED", "Use a user to whom the host gives access to libvirt"),
  90: refused("LIBVIRT_ALREADY_EXISTS", "Run the same command again: what exists is used"),
  94: notInGroup,
};

export const otherRefusal = refused(
  "LIBVIRT_REFUSED",
  "Correct what libvirt names, then run the same command again",
);

/** The daemon answered, and the answer is no. */
export function callFailed(answer: Answer): SlipwayError {
  const isThere = answer.code === 9 && /already exists/.test(answer.message);
  return (callErrors[isThere ? 90 : answer.code] ?? otherRefusal)(answer);
}

export const connectionLost = defineError(
  "LIBVIRT_CONNECTION_LOST",
  (f: { doing: string; reason: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `the connection to libvirt ended: ${f.reason}`,
    next: "See that libvirtd runs on the host, then run the same command again",
    transient: true,
  }),
);

export const polkitRefused = defineError("LIBVIRT_LOGIN_UNKNOWN", () => ({
  what: "Cannot log in to libvirt",
  why: "it wants a login method that Slipway does not support (SASL)",
  next: "Use the socket of the host, directly or through SSH: qemu+ssh://USER@HOST/system",
}));

export const notRunning = defineError(
  "LIBVIRT_NOT_RUNNING",
  (f: { driver: string; paths: string[] }) => ({
    what: `Cannot reach libvirt on this machine for ${f.driver}`,
    why: `nothing listens on ${f.paths.join(" or ")}`,
    next: `Start it: ${f.driver === "qemu:///system" ? "sudo systemctl start libvirtd" : "virsh -c qemu:///session list"}`,
  }),
  [{ driver: "qemu:///system" }],
);

export const socketDenied = defineError("LIBVIRT_SOCKET_DENIED", (f: { path: string; cause: unknown }) => ({
  what: `Cannot open libvirt's socket ${f.path}`,
  why: "this user may not use it",
  next: `Add yourself to its group ("sudo usermod -aG libvirt $USER"), then log in again`,
  cause: f.cause,
}));

export const noWayThroughSsh = defineError(
  "LIBVIRT_NO_WAY_THROUGH_SSH",
  (f: { host: string; paths: string[]; hasSocket: boolean; tried: string[] }) => ({
    what: `Cannot reach libvirt on ${f.host} through SSH`,
    why: f.hasSocket
      ? `its socket is there, but cannot be reached (${f.tried.join("; ") || "virt-ssh-helper, nc and socat are missing"})`
      : `none of its sockets is there: ${f.paths.join(", ")}`,
    next: f.hasSocket
      ? "Set AllowStreamLocalForwarding yes in the host's sshd_config, or install libvirt-daemon or netcat-openbsd there"
      : "Install libvirt on the host and start it there: sudo systemctl start libvirtd",
    shared: f.host,
  }),
  [{ tried: [] }],
  [{ hasSocket: false }],
);

export const certificateUnreadable = defineError(
  "LIBVIRT_CERTIFICATE_UNREADABLE",
  (f: { file: string; cause: unknown }) => ({
    what: `Cannot read ${f.file} for libvirt over TLS`,
    why: (f.cause as Error).message,
    next: "Put cacert.pem, clientcert.pem and clientkey.pem into one folder and name it: qemu+tls://HOST/system?pkipath=FOLDER",
    cause: f.cause,
  }),
);

export const tlsFailed = defineError(
  "LIBVIRT_TLS_FAILED",
  (f: { host: string; port: number; cause: unknown }) => ({
    what: `Cannot connect to libvirt on ${f.host}:${f.port} by TLS`,
    why: connectionText(f.cause),
    next: "Look whether libvirtd listens there (libvirtd-tls.socket) and whether cacert.pem is the authority of its certificate",
    cause: f.cause,
    shared: f.host,
  }),
);

export const tlsRefused = defineError("LIBVIRT_TLS_REFUSED", (f: { host: string; reason: string }) => ({
  what: `Cannot use libvirt on ${f.host} with this client certificate`,
  why: `the host refuses it: ${f.reason}`,
  next: "Use a client certificate from the authority that the host trusts, and see tls_allowed_dn_list in its libvirtd.conf",
  shared: f.host,
}));
