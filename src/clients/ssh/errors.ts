import { defineError } from "../../errors/index.ts";
import { connectionText } from "../../lib/index.ts";

/** Where somebody logs in, as a person writes it: `root@10.0.0.5:2222`. */
export interface Place {
  host: string;
  port: number;
  user: string;
}

/** A place whose user may be left to the user's own settings. */
export type JumpHostPlace = Omit<Place, "user"> & { user?: string | undefined };

export const namedPlace = ({ host, port, user }: JumpHostPlace): string =>
  `${user === undefined ? "" : `${user}@`}${host}${port === 22 ? "" : `:${port}`}`;

export const unreachable = defineError("SSH_UNREACHABLE", (f: Place & { cause: unknown }) => ({
  what: `Cannot reach ${namedPlace(f)} by SSH`,
  why: connectionText(f.cause),
  next: `Try "ssh -p ${f.port} ${f.user}@${f.host}" and see that the host runs and its firewall lets SSH in`,
  cause: f.cause,
  transient: true,
  shared: f.host,
}));

export const notSsh = defineError("SSH_HANDSHAKE_FAILED", (f: Place & { reason: string }) => ({
  what: `Cannot begin an SSH connection to ${namedPlace(f)}`,
  why: f.reason,
  next: `Try "ssh -v -p ${f.port} ${f.user}@${f.host}": it shows what the other side says`,
  shared: f.host,
}));

export const hostUnknown = defineError(
  "SSH_HOST_UNKNOWN",
  (f: Place & { fingerprint: string; line: string; file: string; hasAuthority?: boolean }) => ({
    what: `Cannot trust ${namedPlace(f)}`,
    why: `it shows the host key ${f.fingerprint}, and no key of this host is known yet`,
    next: `Compare the fingerprint with the host's own ("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" there), then run: echo '${f.line}' >> ${f.file}`,
    else: f.hasAuthority
      ? "An authority vouches for it (@cert-authority), which only your own ssh can check: write transport: openssh for this jump host"
      : undefined,
    shared: f.host,
  }),
  [{ hasAuthority: false }],
);

export const hostKeyChanged = defineError(
  "SSH_HOST_KEY_CHANGED",
  (
    f: Place & {
      fingerprint: string;
      known: string[];
      where: string;
      name: string;
      file?: string | undefined;
    },
  ) => ({
    what: `Refused to talk to ${namedPlace(f)}: ITS HOST KEY HAS CHANGED`,
    why: `it shows ${f.fingerprint}, known is ${f.known.join(", ")} (${f.where}); either the host was reinstalled, or somebody intercepts the connection`,
    next: `Find out which. Only if the host was reinstalled, ${f.file === undefined ? "replace the key that is known of it" : `run: ssh-keygen -R '${f.name}' -f ${f.file}`}`,
    shared: f.host,
  }),
  [{ file: undefined }],
);

export const needsOpenssh = defineError("SSH_NEEDS_OPENSSH", (f: { host: string; because: string }) => ({
  what: `Cannot reach ${f.host} with transport: builtin`,
  why: `${f.because}, which only your own ssh program can do`,
  next: `Remove transport: builtin from "${f.host}"`,
  shared: f.host,
}));

export const programMissing = defineError("SSH_PROGRAM_MISSING", (f: { host: string; because: string }) => ({
  what: `Cannot reach ${f.host} without the ssh program`,
  why: `${f.because}, which only that program can use, and there is none on this machine`,
  next: "Install it (apt-get install openssh-client), then run the same command again",
  shared: f.host,
}));

export const opensshFailure = defineError(
  "SSH_PROGRAM_FAILED",
  (f: JumpHostPlace & { why: string; next: string; isTransient: boolean; cause: unknown }) => ({
    what: `Cannot get through ${namedPlace(f)} with the ssh program`,
    why: f.why,
    next: f.next,
    transient: f.isTransient,
    shared: f.host,
    cause: f.cause,
  }),
);

export const hostKeyRevoked = defineError(
  "SSH_HOST_KEY_REVOKED",
  (f: Place & { fingerprint: string; where: string }) => ({
    what: `Refused to talk to ${namedPlace(f)}: its host key is revoked`,
    why: `it shows ${f.fingerprint}, which ${f.where} marks as @revoked`,
    next: "Take this host out of use until it has a new key",
    shared: f.host,
  }),
);

export const knownHostsUnreadable = defineError(
  "SSH_KNOWN_HOSTS_UNREADABLE",
  (f: { file: string; cause: unknown }) => ({
    what: `Cannot read the known hosts in ${f.file}`,
    why: (f.cause as Error).message,
    next: `Make ${f.file} readable for you, then run the same command again`,
    cause: f.cause,
  }),
);

export const nothingToLoginWith = defineError("SSH_NO_KEY", (f: Place) => ({
  what: `Cannot log in to ${namedPlace(f)}`,
  why: "there is no key file, no ssh-agent and no password to try",
  next: `Name a key file, or start ssh-agent and run "ssh-add"; "ssh-keygen -t ed25519" makes a new key`,
}));

export const loginRefused = defineError(
  "SSH_LOGIN_REFUSED",
  (
    f: Place & { tried: string[]; accepted: string[]; locked: string[]; certificates?: readonly string[] },
  ) => ({
    what: `Cannot log in as "${f.user}" on ${f.host}${f.port === 22 ? "" : `:${f.port}`}`,
    why: `tried ${f.tried.join(", ") || "nothing"}; the host accepts ${f.accepted.join(", ") || "none of it"}${f.locked.length === 0 ? "" : `; not tried, because a passphrase protects it: ${f.locked.join(", ")}`}`,
    next:
      f.locked.length === 0
        ? `Put the public key on the host: ssh-copy-id -p ${f.port} ${f.user}@${f.host}`
        : `Put the protected key into ssh-agent: ssh-add ${f.locked.join(" ")}`,
    else: f.certificates?.length
      ? `Certificates (${f.certificates.join(", ")}) are known to your own ssh only: write transport: openssh for this jump host`
      : undefined,
    shared: f.host,
  }),
  [{ locked: [], certificates: undefined }],
);

export const keyMissing = defineError("SSH_KEY_UNREADABLE", (f: { name: string; cause: unknown }) => ({
  what: `Cannot read the SSH key ${f.name}`,
  why: (f.cause as Error).message,
  next: "Name a key file that is there and that you may read",
  cause: f.cause,
}));

export const keyNotUnderstood = defineError(
  "SSH_KEY_NOT_UNDERSTOOD",
  (f: { name: string; reason: string }) => ({
    what: `Cannot use the SSH key ${f.name}`,
    why: f.reason,
    next: `Use an OpenSSH key; "ssh-keygen -t ed25519" makes one, "ssh-keygen -p -f FILE" rewrites an old one`,
  }),
);

export const keyEncrypted = defineError("SSH_KEY_ENCRYPTED", (f: { name: string }) => ({
  what: `Cannot open the SSH key ${f.name}`,
  why: "it is protected by a passphrase, none was given, and there is no terminal to ask at",
  next: `Put it into ssh-agent: ssh-add ${f.name}`,
  else: "Say where its passphrase is, in the cluster file: passphrase: { env: NAME }, or a file or a command",
}));

export const passphraseWrong = defineError("SSH_KEY_PASSPHRASE_WRONG", (f: { name: string }) => ({
  what: `Cannot open the protected SSH key ${f.name}`,
  why: "the passphrase that was given does not open it",
  next: `Try it with: ssh-keygen -y -f ${f.name}`,
}));

export const connectionLost = defineError("SSH_CONNECTION_LOST", (f: Place & { reason: string }) => ({
  what: `Lost the SSH connection to ${namedPlace(f)}`,
  why: f.reason,
  next: "Run the same command again: what is done stays done",
  transient: true,
  shared: f.host,
}));

export const forwardingRefused = defineError(
  "SSH_FORWARDING_REFUSED",
  (f: JumpHostPlace & { to: string; reason: string }) => ({
    what: `Cannot reach ${f.to} through ${namedPlace(f)}`,
    why: `its sshd does not pass connections on; ${f.reason}`,
    next: `Look at AllowTcpForwarding, PermitOpen and DisableForwarding in /etc/ssh/sshd_config on ${f.host}, and at the options of your key in its authorized_keys`,
    shared: f.host,
  }),
);

export const channelRefused = defineError(
  "SSH_CHANNEL_REFUSED",
  (f: JumpHostPlace & { to: string; reason: string; cause?: unknown }) => ({
    what: `Cannot reach ${f.to} through ${namedPlace(f)}`,
    why: f.reason,
    next: `Check whether something listens there, and whether sshd on ${f.host} allows it (AllowTcpForwarding, AllowStreamLocalForwarding)`,
    cause: f.cause,
  }),
);

export const commandRefused = defineError(
  "SSH_COMMAND_REFUSED",
  (f: Place & { program: string; reason: string }) => ({
    what: `Cannot run "${f.program}" on ${namedPlace(f)}`,
    why: f.reason,
    next: `Try "ssh -p ${f.port} ${f.user}@${f.host} true": the user needs a shell, and sshd a free session (MaxSessions)`,
  }),
);

export const commandEnded = defineError(
  "SSH_COMMAND_ENDED",
  (f: Place & { program: string; code: number; stderr: string }) => ({
    what: `Lost "${f.program}" on ${namedPlace(f)}`,
    why: `it ended with exit code ${f.code}${f.stderr === "" ? "" : `: ${f.stderr}`}`,
    next: `Try it by hand: ssh -p ${f.port} ${f.user}@${f.host} ${f.program}`,
  }),
);
