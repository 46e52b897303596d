import { SlipwayError } from "../../errors/index.ts";
import { plainWords } from "./plain-words.ts";

interface Failed {
  to: string;
  through: string;
  /** Its whole standard error. */
  said: string;
  cause?: unknown;
}

interface Kind {
  fits: RegExp;
  code: string;
  next(failed: Failed): string;
  isTransient?: true;
}

const tryIt = ({ through }: Failed): string => `Try it by hand: ssh ${through} true`;

const kinds: Kind[] = [
  {
    fits: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    code: "SSH_HOST_KEY_CHANGED",
    next: ({ through }) =>
      `Find out why. Only if the host was installed anew, run: ssh-keygen -R ${through.split("@").at(-1)}`,
  },
  {
    fits: /Host key verification failed/,
    code: "SSH_HOST_UNKNOWN",
    next: ({ through }) => `Log in once and compare the fingerprint: ssh ${through}`,
  },
  { fits: /Permission denied|Too many authentication failures/, code: "SSH_LOGIN_REFUSED", next: tryIt },
  {
    fits: /administratively prohibited/,
    code: "SSH_FORWARDING_REFUSED",
    next: ({ through }) =>
      `Look at AllowTcpForwarding and PermitOpen in /etc/ssh/sshd_config on ${through.split("@").at(-1)}`,
  },
  // Its reason becomes a network's own word where it is one.
  {
    fits: /open failed: connect failed|Session open refused by peer/,
    code: "SSH_CHANNEL_REFUSED",
    next: () => "Look whether something listens there",
    isTransient: true,
  },
];

/** Why the ssh program did not come through, from what it has said. */
export function opensshFailed(failed: Failed): SlipwayError {
  const { to, through, said, cause } = failed;
  const lines = said.split(/\r?\n/).filter((line) => !/^(debug\d|OpenSSH_|Authenticated to)/.test(line));
  const kind = kinds.find(({ fits }) => fits.test(said));
  const why = plainWords(lines.filter((line) => line.trim() !== "").at(-1) ?? "it said nothing");
  const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
  return new SlipwayError({
    code: kind?.code ?? "SSH_UNREACHABLE",
    what: `Cannot reach ${to} through ${through} with the ssh program`,
    why: isMissing ? "there is no program ssh on this machine" : (refusal(said) ?? why),
    next: isMissing
      ? "Install it (apt-get install openssh-client), or remove transport: openssh"
      : (kind?.next(failed) ?? tryIt(failed)),
    transient: kind === undefined ? !isMissing : (kind.isTransient ?? false),
    shared: through,
    ...(cause !== undefined && { cause }),
  });
}

/** `channel 0: open failed: connect failed: Connection refused` */
const refusal = (said: string): string | undefined => {
  const [, words] = /open failed: [\w ]+: ([^\r\n]+)/.exec(said) ?? [];
  return words === undefined ? undefined : plainWords(words);
};
