import { Code, ConnectError } from "@connectrpc/connect";
import { SlipwayError } from "../../errors/index.ts";
import { wayOf } from "../../lib/index.ts";

interface Failure {
  /** The call as the API names it, e.g. `MachineService/Bootstrap`. */
  call: string;
  address: string;
}

/** Anything a call threw, as one of ours. */
export function talosError(failure: Failure, thrown: unknown): SlipwayError {
  const chain = causes(thrown);
  const known = chain.find((error) => error instanceof SlipwayError);
  if (known !== undefined) return known;
  const codes = chain.map(nodeCode).filter((code) => code !== undefined);
  const facts: Facts = {
    ...failure,
    cause: thrown,
    reason: chain.map(plainMessage).at(-1) ?? "unknown reason",
    what: `Cannot call ${failure.call} on ${failure.address}`,
  };
  return (
    tlsFault(facts, codes) ??
    limitFault(facts, chain) ??
    networkFault(facts, codes) ??
    statusFault(facts, thrown)
  );
}

interface Facts extends Failure {
  cause: unknown;
  reason: string;
  what: string;
}

const unreachableCodes = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
const cutCodes = new Set(["ECONNRESET", "EPIPE", "ERR_HTTP2_STREAM_CANCEL", "ERR_HTTP2_INVALID_SESSION"]);
const untrustedCodes = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
  "CERT_SIGNATURE_FAILURE",
]);

function tlsFault(facts: Facts, codes: string[]): SlipwayError | undefined {
  const { what, cause, address } = facts;
  if (codes.some((code) => untrustedCodes.has(code))) {
    return new SlipwayError({
      code: "TALOS_UNTRUSTED",
      what,
      why: `the certificate of ${address} was not issued by this cluster's authority`,
      next: "Check that the address belongs to this cluster; a node that waits for its first config looks the same",
      cause,
    });
  }
  if (codes.includes("ERR_TLS_CERT_ALTNAME_INVALID")) {
    return new SlipwayError({
      code: "TALOS_ADDRESS_MISMATCH",
      what,
      why: `the certificate of the node does not name ${address}`,
      next: `Dial the node by an address of its own, or add "${address}" to machine.certSANs`,
      cause,
    });
  }
  if (codes.includes("CERT_HAS_EXPIRED") || codes.includes("CERT_NOT_YET_VALID")) {
    return new SlipwayError({
      code: "TALOS_CERTIFICATE_TIME",
      what,
      why: "the certificate of the node is not valid at this time",
      next: "Compare the clocks of this machine and the node",
      cause,
    });
  }
  const alert = codes.find((code) => code.startsWith("ERR_SSL_"));
  if (alert === undefined) return undefined;
  return new SlipwayError({
    code: "TALOS_TLS_REFUSED",
    what,
    why: `${address} refused the TLS connection (${alert.slice("ERR_SSL_".length).toLowerCase().replaceAll("_", " ")})`,
    next: "Check that the client certificate belongs to this cluster and has not expired",
    cause,
  });
}

function networkFault(facts: Facts, codes: string[]): SlipwayError | undefined {
  const { what, cause, address, reason } = facts;
  const unreachable = codes.find((code) => unreachableCodes.has(code));
  if (unreachable !== undefined) {
    return new SlipwayError({
      code: "TALOS_UNREACHABLE",
      what,
      why: `no connection to ${address} (${unreachable})${wayOf(cause)}`,
      next: `Check that the machine runs and that port 50000 of ${address} can be reached from here`,
      transient: true,
      shared: address,
      cause,
    });
  }
  if (!codes.some((code) => cutCodes.has(code))) return undefined;
  return connectionCut({ what, reason, cause });
}

/** Of a stream by name, of a whole session by number. */
const tooBusy = /ENHANCE_YOUR_CALM|Session closed with error code 11$/;
const tooLarge = /larger than configured readMaxBytes|ERR_BUFFER_TOO_LARGE|maxOutputLength/;

function limitFault({ what, cause, reason, address }: Facts, chain: Error[]): SlipwayError | undefined {
  // A server under load, or one that counts pings more strictly than any we know, takes calls again in a moment.
  if (chain.some(({ message }) => tooBusy.test(message))) return connectionCut({ what, reason, cause });
  if (!chain.some((error) => tooLarge.test(`${nodeCode(error) ?? ""} ${error.message}`))) return undefined;
  return answerTooLarge({ what, address, cause });
}

/** As large a message as talosctl takes. */
export const mostMessageBytes = 32 * 1024 ** 2;

export const answerTooLarge = (f: { what: string; address: string; cause?: unknown }) =>
  new SlipwayError({
    code: "TALOS_ANSWER_TOO_LARGE",
    what: f.what,
    why: `${f.address} sent more than ${mostMessageBytes / 1024 ** 2} MiB`,
    next: `Check what answers on port 50000 of ${f.address}: a Talos node sends far less`,
    cause: f.cause,
  });

const connectionCut = (facts: { what: string; reason: string; cause: unknown }) =>
  new SlipwayError({
    code: "TALOS_CONNECTION_CUT",
    what: facts.what,
    why: `the connection was cut before the answer came (${facts.reason})`,
    next: "Look at the node's state before calling again: the work may have been done",
    transient: true,
    cause: facts.cause,
  });

/** Answers that mean "ask again in a moment". */
const notYet = /not available yet|not in sync yet|already in progress|is rebooting|not ready|reboot pending/i;

interface StatusFault {
  code: string;
  next: string;
  transient?: boolean;
}

const statusFaults = new Map<Code | undefined, StatusFault>([
  [Code.Unavailable, { code: "TALOS_UNAVAILABLE", next: "Wait a moment and try again", transient: true }],
  [Code.AlreadyExists, { code: "TALOS_ALREADY_EXISTS", next: "Check what exists; nothing was changed" }],
  [
    Code.InvalidArgument,
    { code: "TALOS_INVALID_ARGUMENT", next: "This is a mistake in the call; report it" },
  ],
  [Code.NotFound, { code: "TALOS_NOT_FOUND", next: "Check the name; the node does not have it" }],
  [Code.Unimplemented, { code: "TALOS_UNIMPLEMENTED", next: "Check the node's Talos version and state" }],
]);
for (const denied of [Code.PermissionDenied, Code.Unauthenticated]) {
  statusFaults.set(denied, {
    code: "TALOS_DENIED",
    next: "Use a client certificate with the role os:admin, and dial the node itself",
  });
}
const configInvalid: StatusFault = {
  code: "TALOS_CONFIG_INVALID",
  next: "Correct the patches of this node in the cluster file",
};
const notYetFault: StatusFault = {
  code: "TALOS_NOT_YET",
  next: "Wait a moment and try again",
  transient: true,
};

function statusFault(facts: Facts, thrown: unknown): SlipwayError {
  const { what, cause, address, call } = facts;
  const status = thrown instanceof ConnectError ? thrown.code : undefined;
  const why = (thrown instanceof ConnectError && thrown.rawMessage) || facts.reason;
  if (status === Code.DeadlineExceeded || isTimeLimit(thrown)) return noAnswer(facts);
  if (status === Code.Canceled || status === Code.Aborted) {
    return connectionCut({ what, reason: why, cause });
  }
  const isConfig = status === Code.InvalidArgument && call.endsWith("/ApplyConfiguration");
  if (isConfig) return new SlipwayError({ ...configInvalid, what, why, cause });
  if (status === Code.FailedPrecondition && notYet.test(why)) {
    return new SlipwayError({ ...notYetFault, what, why, cause });
  }
  const fault = statusFaults.get(status) ?? {
    code: status === Code.FailedPrecondition ? "TALOS_PRECONDITION" : "TALOS_CALL_FAILED",
    next: `Look at the node with "talosctl -n ${address} dmesg"`,
  };
  return new SlipwayError({ ...fault, what, why, cause });
}

/** A call whose time was up is told as that, whoever ended it first. */
export const noAnswerOnTime = (address: string, failure: Error): Error =>
  failure instanceof SlipwayError && failure.code === "TALOS_CONNECTION_CUT"
    ? noAnswer({ what: failure.what, address, cause: failure.cause })
    : failure;

const noAnswer = (facts: Pick<Facts, "what" | "address" | "cause">) =>
  new SlipwayError({
    code: "TALOS_NO_ANSWER",
    what: facts.what,
    why: `${facts.address} did not answer in time`,
    next: `Check that the machine still runs and port 50000 of ${facts.address} can be reached`,
    transient: true,
    shared: facts.address,
    cause: facts.cause,
  });

const isTimeLimit = (thrown: unknown): boolean =>
  causes(thrown).some((error) => error.name === "TimeLimitError" || error.name === "TimeoutError");

function causes(thrown: unknown): Error[] {
  const chain: Error[] = [];
  let current = thrown;
  while (current instanceof Error && !chain.includes(current)) {
    chain.push(current);
    current = current.cause;
  }
  return chain;
}

const nodeCode = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined;

const plainMessage = (error: Error): string =>
  error instanceof ConnectError ? error.rawMessage : error.message;

/** True for one of our errors with this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof SlipwayError && error.code === code;

export const installerFailed = (f: {
  address: string;
  image: string;
  code: number | undefined;
  last: string;
}) =>
  new SlipwayError({
    code: "TALOS_INSTALLER_FAILED",
    what: `Cannot upgrade ${f.address} with "${f.image}"`,
    why:
      f.code === undefined
        ? "the installer was cut short"
        : `the installer ended with code ${f.code}${f.last && `: ${f.last}`}`,
    next: "The running system was left as it was. Correct what the installer names, then upgrade again",
  });

export const watchFailed = (f: { address: string; type: string; why: string }) =>
  new SlipwayError({
    code: "TALOS_WATCH_FAILED",
    what: `Cannot follow ${f.type} on ${f.address}`,
    why: f.why || "the node ended the watch",
    next: "List the resources again, then follow them anew",
    transient: true,
  });

export const notInMaintenance = (address: string) =>
  new SlipwayError({
    code: "TALOS_NOT_IN_MAINTENANCE",
    what: `Cannot send the first config to ${address}`,
    why: "the node has a config already: it does not show the certificate of maintenance mode",
    next: `Check that ${address} is the machine you mean; reset it if its content may go`,
  });

export const fingerprintMismatch = (f: { address: string; wanted: string; found: string }) =>
  new SlipwayError({
    code: "TALOS_FINGERPRINT_MISMATCH",
    what: `Cannot send the first config to ${f.address}`,
    why: `the node shows the fingerprint "${f.found}", wanted is "${f.wanted}"`,
    next: "Read the fingerprint from the node's console; each boot in maintenance mode makes a new one",
  });

export const badArchive = (address: string) =>
  new SlipwayError({
    code: "TALOS_BAD_ARCHIVE",
    what: `Cannot read the kubeconfig that ${address} sent`,
    why: "the answer is not an archive with a file in it",
    next: "Try again; if it happens twice, report it with the Talos version",
  });
