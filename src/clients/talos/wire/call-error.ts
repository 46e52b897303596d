import { Code, ConnectError } from "@connectrpc/connect";
import { SlipwayError } from "../../../errors/index.ts";
import * as errors from "../errors.ts";
import type { FailedCall } from "../errors.ts";

/** Anything a call threw, as one of ours. `call` is named as the API does, e.g. `MachineService/Bootstrap`. */
export function talosError(at: { call: string; address: string }, thrown: unknown): SlipwayError {
  const chain = causes(thrown);
  const known = chain.find((error) => error instanceof SlipwayError);
  if (known !== undefined) return known;
  const codes = chain.map(nodeCode).filter((code) => code !== undefined);
  const failed: FailedCall = {
    doing: `call ${at.call} on ${at.address}`,
    address: at.address,
    reason: chain.map(plainMessage).at(-1) ?? "unknown reason",
    cause: thrown,
  };
  return (
    tlsError(failed, codes) ??
    limitError(failed, chain) ??
    networkError(failed, codes) ??
    statusError(failed, at.call, thrown)
  );
}

const untrustedCodes = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
  "CERT_SIGNATURE_FAILURE",
]);

function tlsError(failed: FailedCall, codes: string[]): SlipwayError | undefined {
  if (codes.some((code) => untrustedCodes.has(code))) return errors.untrusted(failed);
  if (codes.includes("ERR_TLS_CERT_ALTNAME_INVALID")) return errors.addressMismatch(failed);
  if (codes.includes("CERT_HAS_EXPIRED") || codes.includes("CERT_NOT_YET_VALID"))
    return errors.certificateTime(failed);
  const code = codes.find((each) => each.startsWith("ERR_SSL_"));
  if (code === undefined) return undefined;
  const alert = code.slice("ERR_SSL_".length).toLowerCase().replaceAll("_", " ");
  return errors.tlsRefused({ ...failed, alert });
}

/** Of a stream by name, of a whole session by number. */
const tooBusy = /ENHANCE_YOUR_CALM|REFUSED_STREAM|Session closed with error code 11$/;
const tooLarge = /larger than configured readMaxBytes|ERR_BUFFER_TOO_LARGE|maxOutputLength/;

function limitError(failed: FailedCall, chain: Error[]): SlipwayError | undefined {
  // A server under load, one that goes down and has not begun with the call, or one that counts pings more strictly than
  // any we know takes calls again in a moment.
  if (chain.some(({ message }) => tooBusy.test(message))) return errors.connectionCut(failed);
  const isTooLarge = chain.some((error) => tooLarge.test(`${nodeCode(error) ?? ""} ${error.message}`));
  return isTooLarge ? errors.answerTooLarge(failed) : undefined;
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
const cutCodes = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_HTTP2_STREAM_CANCEL",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_INVALID_STREAM",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

function networkError(failed: FailedCall, codes: string[]): SlipwayError | undefined {
  const systemCode = codes.find((code) => unreachableCodes.has(code));
  if (systemCode !== undefined) return errors.unreachable({ ...failed, systemCode });
  return codes.some((code) => cutCodes.has(code)) ? errors.connectionCut(failed) : undefined;
}

/** Answers that mean "ask again in a moment". */
const notYet = /not available yet|not in sync yet|already in progress|is rebooting|not ready|reboot pending/i;

function statusError(failed: FailedCall, call: string, thrown: unknown): SlipwayError {
  const status = thrown instanceof ConnectError ? thrown.code : undefined;
  const reason = (thrown instanceof ConnectError && thrown.rawMessage) || failed.reason;
  const answer = { ...failed, reason };
  if (status === Code.DeadlineExceeded || isTimeLimit(thrown)) return errors.noAnswer(failed);
  switch (status) {
    case Code.Canceled:
    case Code.Aborted:
      return errors.connectionCut(answer);
    case Code.InvalidArgument:
      return call.endsWith("/ApplyConfiguration")
        ? errors.configInvalid(answer)
        : errors.invalidArgument(answer);
    case Code.FailedPrecondition:
      return notYet.test(reason) ? errors.notYet(answer) : errors.preconditionFailed(answer);
    case Code.Unavailable:
      return errors.unavailable(answer);
    case Code.AlreadyExists:
      return errors.alreadyExists(answer);
    case Code.NotFound:
      return errors.notFound(answer);
    case Code.Unimplemented:
      return errors.unimplemented(answer);
    case Code.PermissionDenied:
    case Code.Unauthenticated:
      return errors.denied(answer);
    default:
      return errors.callFailed(answer);
  }
}

/** A call whose time was up is told as that, no matter which side ended it first. */
export const noAnswerOnTime = (at: { call: string; address: string }, failure: Error): Error =>
  errors.hasCode(failure, "TALOS_CONNECTION_CUT")
    ? errors.noAnswer({
        doing: `call ${at.call} on ${at.address}`,
        address: at.address,
        cause: failure.cause,
      })
    : failure;

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
