import { SlipwayError } from "../../errors/index.ts";
import { connectionWords } from "../../lib/index.ts";

/** Where somebody logs in, as a person writes it: `root@10.0.0.5:2222`. */
export interface Place {
  host: string;
  port: number;
  user: string;
}

/** A place whose user may be left to the user's own settings. */
export type HopPlace = Omit<Place, "user"> & { user?: string };

export const namedPlace = ({ host, port, user }: HopPlace): string =>
  `${user === undefined ? "" : `${user}@`}${host}${port === 22 ? "" : `:${port}`}`;

export const unreachable = (f: Place & { cause: unknown }) =>
  new SlipwayError({
    code: "SSH_UNREACHABLE",
    what: `Cannot reach ${namedPlace(f)} by SSH`,
    why: connectionWords(f.cause),
    next: `Try "ssh -p ${f.port} ${f.user}@${f.host}" and see that the host runs and its firewall lets SSH in`,
    cause: f.cause,
    transient: true,
    shared: f.host,
  });

export const notSsh = (f: Place & { reason: string }) =>
  new SlipwayError({
    code: "SSH_HANDSHAKE_FAILED",
    what: `Cannot begin an SSH connection to ${namedPlace(f)}`,
    why: f.reason,
    next: `Try "ssh -v -p ${f.port} ${f.user}@${f.host}": it shows what the other side says`,
    shared: f.host,
  });

export const hostUnknown = (
  f: Place & { fingerprint: string; line: string; file: string; hasAuthority?: boolean },
) =>
  new SlipwayError({
    code: "SSH_HOST_UNKNOWN",
    what: `Cannot trust ${namedPlace(f)}`,
    why: `it shows the host key ${f.fingerprint}, and no key of this host is known yet`,
    next: `Compare the fingerprint with the host's own ("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" there), then run: echo '${f.line}' >> ${f.file}`,
    ...(f.hasAuthority === true && {
      else: "An authority vouches for it (@cert-authority), which only your own ssh can check: write transport: openssh for this jump host",
    }),
    shared: f.host,
  });

export const hostKeyChanged = (
  f: Place & { fingerprint: string; known: string[]; where: string; name: string; file?: string },
) =>
  new SlipwayError({
    code: "SSH_HOST_KEY_CHANGED",
    what: `Refused to talk to ${namedPlace(f)}: ITS HOST KEY HAS CHANGED`,
    why: `it shows ${f.fingerprint}, known is ${f.known.join(", ")} (${f.where}); either the host was installed anew, or somebody stands in between`,
    next: `Find out which. Only if the host was installed anew, ${f.file === undefined ? "replace the key that is known of it" : `run: ssh-keygen -R '${f.name}' -f ${f.file}`}`,
    shared: f.host,
  });

export const needsOpenssh = (f: { host: string; because: string }) =>
  new SlipwayError({
    code: "SSH_NEEDS_OPENSSH",
    what: `Cannot reach ${f.host} with transport: builtin`,
    why: `${f.because}, which only your own ssh program can do`,
    next: `Remove transport: builtin from "${f.host}"`,
    shared: f.host,
  });

export const programMissing = (f: { host: string; because: string }) =>
  new SlipwayError({
    code: "SSH_PROGRAM_MISSING",
    what: `Cannot reach ${f.host} without the ssh program`,
    why: `${f.because}, which only that program can use, and there is none on this machine`,
    next: "Install it (apt-get install openssh-client), then run the same command again",
    shared: f.host,
  });

export const opensshFailure = (
  f: HopPlace & { why: string; next: string; isTransient: boolean; cause: unknown },
) =>
  new SlipwayError({
    code: "SSH_PROGRAM_FAILED",
    what: `Cannot get through ${namedPlace(f)} with the ssh program`,
    why: f.why,
    next: f.next,
    transient: f.isTransient,
    shared: f.host,
    cause: f.cause,
  });

export const hostKeyRevoked = (f: Place & { fingerprint: string; where: string }) =>
  new SlipwayError({
    code: "SSH_HOST_KEY_REVOKED",
    what: `Refused to talk to ${namedPlace(f)}: its host key is revoked`,
    why: `it shows ${f.fingerprint}, which ${f.where} marks as @revoked`,
    next: "Take this host out of use until whoever revoked the key has given it another",
    shared: f.host,
  });

export const knownHostsUnreadable = (f: { file: string; cause: unknown }) =>
  new SlipwayError({
    code: "SSH_KNOWN_HOSTS_UNREADABLE",
    what: `Cannot read the known hosts in ${f.file}`,
    why: (f.cause as Error).message,
    next: `Make ${f.file} readable for you, then run the same command again`,
    cause: f.cause,
  });

export const nothingToLoginWith = (f: Place) =>
  new SlipwayError({
    code: "SSH_NO_KEY",
    what: `Cannot log in to ${namedPlace(f)}`,
    why: "there is no key file, no ssh-agent and no password to try",
    next: `Name a key file, or start ssh-agent and run "ssh-add"; "ssh-keygen -t ed25519" makes a new key`,
  });

export const loginRefused = (
  f: Place & { tried: string[]; accepted: string[]; locked: string[]; certificates?: readonly string[] },
) =>
  new SlipwayError({
    code: "SSH_LOGIN_REFUSED",
    what: `Cannot log in as "${f.user}" on ${f.host}${f.port === 22 ? "" : `:${f.port}`}`,
    why: `tried ${f.tried.join(", ") || "nothing"}; the host accepts ${f.accepted.join(", ") || "none of it"}${f.locked.length === 0 ? "" : `; left out, because protected: ${f.locked.join(", ")}`}`,
    next:
      f.locked.length === 0
        ? `Put the public key on the host: ssh-copy-id -p ${f.port} ${f.user}@${f.host}`
        : `Put the protected key into ssh-agent: ssh-add ${f.locked.join(" ")}`,
    ...((f.certificates ?? []).length > 0 && {
      else: `Certificates (${f.certificates?.join(", ")}) are known to your own ssh only: write transport: openssh for this jump host`,
    }),
    shared: f.host,
  });

export const keyMissing = (f: { name: string; cause: unknown }) =>
  new SlipwayError({
    code: "SSH_KEY_UNREADABLE",
    what: `Cannot read the SSH key ${f.name}`,
    why: (f.cause as Error).message,
    next: "Name a key file that is there and that you may read",
    cause: f.cause,
  });

export const keyNotUnderstood = (f: { name: string; reason: string }) =>
  new SlipwayError({
    code: "SSH_KEY_NOT_UNDERSTOOD",
    what: `Cannot use the SSH key ${f.name}`,
    why: f.reason,
    next: `Use an OpenSSH key; "ssh-keygen -t ed25519" makes one, "ssh-keygen -p -f FILE" rewrites an old one`,
  });

export const keyEncrypted = (f: { name: string }) =>
  new SlipwayError({
    code: "SSH_KEY_ENCRYPTED",
    what: `Cannot open the SSH key ${f.name}`,
    why: "it is protected by a passphrase, none was given, and nobody is here to be asked",
    next: `Put it into ssh-agent: ssh-add ${f.name}`,
    else: "Say where its passphrase is, in the cluster file: passphrase: { env: NAME }, or a file or a command",
  });

export const passphraseWrong = (f: { name: string }) =>
  new SlipwayError({
    code: "SSH_KEY_PASSPHRASE_WRONG",
    what: `Cannot open the protected SSH key ${f.name}`,
    why: "the passphrase that was given does not open it",
    next: `Try it with: ssh-keygen -y -f ${f.name}`,
  });

export const connectionLost = (f: Place & { reason: string }) =>
  new SlipwayError({
    code: "SSH_CONNECTION_LOST",
    what: `Lost the SSH connection to ${namedPlace(f)}`,
    why: f.reason,
    next: "Run the same command again: what is done stays done",
    transient: true,
    shared: f.host,
  });

export const forwardingRefused = (f: HopPlace & { to: string; reason: string }) =>
  new SlipwayError({
    code: "SSH_FORWARDING_REFUSED",
    what: `Cannot reach ${f.to} through ${namedPlace(f)}`,
    why: `its sshd does not pass connections on; ${f.reason}`,
    next: `Look at AllowTcpForwarding, PermitOpen and DisableForwarding in /etc/ssh/sshd_config on ${f.host}, and at the options of your key in its authorized_keys`,
    shared: f.host,
  });

export const channelRefused = (f: HopPlace & { to: string; reason: string; cause?: unknown }) =>
  new SlipwayError({
    code: "SSH_CHANNEL_REFUSED",
    what: `Cannot reach ${f.to} through ${namedPlace(f)}`,
    why: f.reason,
    next: `Look whether something listens there, and whether sshd on ${f.host} allows it (AllowTcpForwarding, AllowStreamLocalForwarding)`,
    cause: f.cause,
  });

export const commandRefused = (f: Place & { program: string; reason: string }) =>
  new SlipwayError({
    code: "SSH_COMMAND_REFUSED",
    what: `Cannot run "${f.program}" on ${namedPlace(f)}`,
    why: f.reason,
    next: `Try "ssh -p ${f.port} ${f.user}@${f.host} true": the user needs a shell, and sshd a free session (MaxSessions)`,
  });

export const commandEnded = (f: Place & { program: string; code: number; stderr: string }) =>
  new SlipwayError({
    code: "SSH_COMMAND_ENDED",
    what: `Lost "${f.program}" on ${namedPlace(f)}`,
    why: `it ended with exit code ${f.code}${f.stderr === "" ? "" : `: ${f.stderr}`}`,
    next: `Try it by hand: ssh -p ${f.port} ${f.user}@${f.host} ${f.program}`,
  });
