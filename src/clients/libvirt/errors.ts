import { SlipwayError } from "../../errors/index.ts";
import { connectionWords } from "../../lib/index.ts";

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
    next: "Use a user who may change things, for example one in group libvirt",
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
  88: { code: "LIBVIRT_DENIED", next: "Use a user to whom the host gives access to libvirt" },
  90: { code: "LIBVIRT_ALREADY_EXISTS", next: "Run the same command again: what exists is used" },
  94: { code: "LIBVIRT_DENIED", next: "Add the user to group libvirt on the host, then log in anew" },
};

const other: (typeof kinds)[number] = {
  code: "LIBVIRT_REFUSED",
  next: "Look after what libvirt says, then run the same command again",
};

/** The daemon answered, and the answer is no. */
export function callFailed({ doing, code, message }: Answer): SlipwayError {
  const isThere = code === 9 && /already exists/.test(message);
  const kind = kinds[isThere ? 90 : code] ?? other;
  return new SlipwayError({
    code: kind.code,
    what: `Cannot ${doing}`,
    why: `libvirt says: ${message.trim() || `error ${code}`}`,
    next: kind.next,
    ...(kind.isFleeting && { transient: true }),
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
    code: "LIBVIRT_LOGIN_UNKNOWN",
    what: "Cannot log in to libvirt",
    why: "it wants a way of logging in that Slipway does not speak (SASL)",
    next: "Use the socket of the host, directly or through SSH: qemu+ssh://USER@HOST/system",
  });

export const notRunning = (f: { driver: string; paths: string[] }) =>
  new SlipwayError({
    code: "LIBVIRT_NOT_RUNNING",
    what: `Cannot reach libvirt on this machine for ${f.driver}`,
    why: `nothing listens on ${f.paths.join(" or ")}`,
    next: `Start it: ${f.driver === "qemu:///system" ? "sudo systemctl start libvirtd" : "virsh -c qemu:///session list"}`,
  });

export const socketDenied = (f: { path: string; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_SOCKET_DENIED",
    what: `Cannot open libvirt's socket ${f.path}`,
    why: "this user may not use it",
    next: `Add yourself to its group ("sudo usermod -aG libvirt $USER"), then log in anew`,
    cause: f.cause,
  });

export const noWayThroughSsh = (f: { host: string; paths: string[]; hasSocket: boolean; tried: string[] }) =>
  new SlipwayError({
    code: "LIBVIRT_NO_WAY_THROUGH_SSH",
    what: `Cannot reach libvirt on ${f.host} through SSH`,
    why: f.hasSocket
      ? `its socket is there, but no way leads to it (${f.tried.join("; ") || "virt-ssh-helper, nc and socat are missing"})`
      : `none of its sockets is there: ${f.paths.join(", ")}`,
    next: f.hasSocket
      ? "Set AllowStreamLocalForwarding yes in the host's sshd_config, or install libvirt-daemon or netcat-openbsd there"
      : "Install libvirt on the host and start it there: sudo systemctl start libvirtd",
    shared: f.host,
  });

export const certificateUnreadable = (f: { file: string; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_CERTIFICATE_UNREADABLE",
    what: `Cannot read ${f.file} for libvirt over TLS`,
    why: (f.cause as Error).message,
    next: "Put cacert.pem, clientcert.pem and clientkey.pem into one folder and name it: qemu+tls://HOST/system?pkipath=FOLDER",
    cause: f.cause,
  });

export const tlsFailed = (f: { host: string; port: number; cause: unknown }) =>
  new SlipwayError({
    code: "LIBVIRT_TLS_FAILED",
    what: `Cannot connect to libvirt on ${f.host}:${f.port} by TLS`,
    why: connectionWords(f.cause),
    next: "Look whether libvirtd listens there (libvirtd-tls.socket) and whether cacert.pem is the authority of its certificate",
    cause: f.cause,
    shared: f.host,
  });

export const tlsRefused = (f: { host: string; reason: string }) =>
  new SlipwayError({
    code: "LIBVIRT_TLS_REFUSED",
    what: `Cannot use libvirt on ${f.host} with this client certificate`,
    why: `the host refuses it: ${f.reason}`,
    next: "Use a client certificate from the authority that the host trusts, and see tls_allowed_dn_list in its libvirtd.conf",
    shared: f.host,
  });
