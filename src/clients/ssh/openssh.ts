import type { SlipwayError } from "../../errors/index.ts";
import {
  channelRefused,
  forwardingRefused,
  namedPlace,
  opensshFailure,
  programMissing,
  type JumpHostPlace,
} from "./errors.ts";
import { plainText } from "./plain-text.ts";

interface Failed extends JumpHostPlace {
  to: string;
  /** Why the program is needed, where the file does not ask for it. */
  because?: string | undefined;
  /** Its whole standard error. */
  said: string;
  cause?: unknown;
}

/** By what the program says of a host that it does not get through to. */
const advice: [RegExp, (host: string, name: string) => string][] = [
  [
    /IDENTIFICATION HAS CHANGED/,
    (host) => `Find out why. Only if the host was reinstalled, run: ssh-keygen -R ${host}`,
  ],
  [
    /Host key verification failed/,
    (_host, name) => `Log in once and compare the fingerprint; run: ssh ${name}`,
  ],
];

/** Worth another attempt: nothing was refused, the host was just not there. */
const isPassing = /timed out|refused|No route|unreachable|closed by remote|reset by peer|not resolve/i;

/** Why the ssh program did not come through, from what it has said. */
export function opensshFailed({ to, said, because, cause, ...jumpHost }: Failed): SlipwayError {
  const [, kind, words = ""] = /open failed: ([\w ]+): ([^\r\n]+)/.exec(said) ?? [];
  const reason = `the host says: ${plainText(words) || "no"}`;
  if (kind === "administratively prohibited") return forwardingRefused({ ...jumpHost, to, reason });
  // Of a connection that is shared, only this is heard.
  if (kind !== undefined || said.includes("Session open refused by peer"))
    return channelRefused({ ...jumpHost, to, reason });
  const lines = said.split(/\r?\n/).filter((line) => !/^(debug\d|OpenSSH_|Authenticated to|\s*$)/.test(line));
  if ((cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT")
    return programMissing({ host: jumpHost.host, because: because ?? "the file says transport: openssh" });
  const why = plainText(lines.at(-1) ?? "it said nothing");
  const known = advice.find(([pattern]) => pattern.test(said))?.[1];
  const name = namedPlace(jumpHost);
  return opensshFailure({
    ...jumpHost,
    why,
    next: known?.(jumpHost.host, name) ?? `Try it by hand: ssh ${name} true`,
    isTransient: known === undefined && isPassing.test(why),
    cause,
  });
}
