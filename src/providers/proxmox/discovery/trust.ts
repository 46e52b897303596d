import { secureSocket, UntrustedError, bareHost, type Trust } from "../../../lib/index.ts";
import type { Asking } from "../../../plan/index.ts";
import { fingerprintOther, notAnswering } from "../errors.ts";
import type { DiscoveryWorld } from "./access.ts";

/** Who vouches for the certificate of the server: the authorities of this computer, or somebody who has compared it. */
export async function askTrust(world: DiscoveryWorld, url: string, asking: Asking): Promise<Trust> {
  const found = await untrustedFingerprint(world, new URL(url), asking.signal);
  if (found === undefined) {
    asking.found(`The certificate of ${url} is vouched for by an authority this computer trusts`);
    return { system: true };
  }
  const answer = await asking.ask({
    key: "fingerprint",
    text: "Is it the one the host shows? Answer yes, or paste what the host shows",
    details: [
      `The certificate of ${url} has the fingerprint`,
      `  ${found}`,
      "Compare it with: pvenode cert info (on the host), or in its web page Node > System > Certificates",
    ],
    needsPerson: true,
    refuse: (given) =>
      isYes(given) || isFingerprint(given) ? undefined : 'is neither "yes" nor a SHA-256 fingerprint',
  });
  if (!isYes(answer) && hexOf(answer) !== hexOf(found)) throw fingerprintOther({ url, found, given: answer });
  return { fingerprint: found };
}

const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim());
const hexOf = (text: string): string => text.replace(/[^0-9a-f]/gi, "").toLowerCase();
const isFingerprint = (text: string): boolean => hexOf(text).length === 64;

/** Undefined: this computer trusts it without being told. */
async function untrustedFingerprint(
  { dial }: DiscoveryWorld,
  url: URL,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const socket = await dial({ host: bareHost(url), port: Number(url.port) }, signal);
    (await secureSocket(socket, url, { system: true }, signal)).destroy();
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof UntrustedError) return thrown.found;
    throw notAnswering({ url: url.origin, cause: thrown });
  }
}
