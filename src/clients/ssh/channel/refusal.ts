import { SlipwayError } from "../../../errors/index.ts";
import { RouteError } from "../../../lib/index.ts";
import { channelRefused, forwardingRefused, type Place } from "../errors.ts";
import { refusalText } from "../plain-text.ts";

/** RFC 4254, section 5.1. */
const [prohibited, failed, shortage] = [1, 2, 4];

/** What a host answered when it did not lead on, as one of ours. */
export function refusedChannel(to: Place & { to: string }, error: Error): SlipwayError {
  const { reason } = error as { reason?: unknown };
  const said = refusalText(error);
  if (reason === prohibited) return forwardingRefused({ ...to, reason: said });
  return channelRefused({ ...to, reason: said, cause: error });
}

/** The host has no room for another connection right now. */
export const isShortage = (thrown: unknown): boolean => {
  const { cause } = thrown as { cause?: { reason?: unknown; message?: string } };
  return cause?.reason === shortage || /too many open files/i.test(cause?.message ?? "");
};

const codes: [RegExp, string][] = [
  [/refused/i, "ECONNREFUSED"],
  [/no route/i, "EHOSTUNREACH"],
  [/network is unreachable/i, "ENETUNREACH"],
  [/timed? ?out/i, "ETIMEDOUT"],
  [/name|host/i, "ENOTFOUND"],
];

/** A refusal in the words of a network, as whoever connects directly would hear it; anything else as it is. */
export function asNetworkError(thrown: unknown, through: string): unknown {
  if (!(thrown instanceof SlipwayError) || thrown.code !== "SSH_CHANNEL_REFUSED") return thrown;
  const said = thrown.why.replace("the host says: ", "");
  const { reason = failed } = (thrown.cause ?? {}) as { reason?: unknown };
  if (reason !== failed) return thrown;
  // Of an address that the host has no route to, sshd only says "open failed".
  const code = codes.find(([pattern]) => pattern.test(said))?.[1] ?? "EHOSTUNREACH";
  return new RouteError(code, through, `${said} (through ${through})`);
}
