import { defineError, SlipwayError } from "../../errors/index.ts";
import { routeOf } from "../../lib/index.ts";

/** A call that failed. */
export interface FailedCall {
  /** Completes "Cannot …": `call MachineService/Bootstrap on 10.0.0.5`. */
  doing: string;
  address: string;
  reason: string;
  cause: unknown;
}

export const untrusted = defineError("TALOS_UNTRUSTED", (f: FailedCall) => ({
  what: `Cannot ${f.doing}`,
  why: `the certificate of ${f.address} was not issued by this cluster's authority`,
  next: "Check that the address belongs to this cluster; a node that waits for its first config looks the same",
  cause: f.cause,
}));

export const addressMismatch = defineError("TALOS_ADDRESS_MISMATCH", (f: FailedCall) => ({
  what: `Cannot ${f.doing}`,
  why: `the certificate of the node does not name ${f.address}`,
  next: `Dial the node by an address of its own, or add "${f.address}" to machine.certSANs`,
  cause: f.cause,
}));

export const certificateTime = defineError("TALOS_CERTIFICATE_TIME", (f: FailedCall) => ({
  what: `Cannot ${f.doing}`,
  why: "the certificate of the node is not valid at this time",
  next: "Compare the clocks of this machine and the node",
  cause: f.cause,
}));

export const tlsRefused = defineError("TALOS_TLS_REFUSED", (f: FailedCall & { alert: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `${f.address} refused the TLS connection (${f.alert})`,
  next: "Check that the client certificate belongs to this cluster and has not expired",
  cause: f.cause,
}));

export const unreachable = defineError("TALOS_UNREACHABLE", (f: FailedCall & { systemCode: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `no connection to ${f.address} (${f.systemCode})${routeOf(f.cause)}`,
  next: `Check that the machine runs and that port 50000 of ${f.address} can be reached from here`,
  transient: true,
  shared: f.address,
  cause: f.cause,
}));

/** As large a message as talosctl takes. */
export const mostMessageBytes = 32 * 1024 ** 2;

export const answerTooLarge = defineError(
  "TALOS_ANSWER_TOO_LARGE",
  (f: { doing: string; address: string; cause?: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.address} sent more than ${mostMessageBytes / 1024 ** 2} MiB`,
    next: `Check what answers on port 50000 of ${f.address}: a Talos node sends far less`,
    cause: f.cause,
  }),
);

export const connectionCut = defineError("TALOS_CONNECTION_CUT", (f: FailedCall) => ({
  what: `Cannot ${f.doing}`,
  why: `the connection was cut before the answer came (${f.reason})`,
  next: "Look at the node's state before calling again: the work may have been done",
  transient: true,
  cause: f.cause,
}));

export const noAnswer = defineError(
  "TALOS_NO_ANSWER",
  (f: { doing: string; address: string; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.address} did not answer in time`,
    next: `Check that the machine still runs and port 50000 of ${f.address} can be reached`,
    transient: true,
    shared: f.address,
    cause: f.cause,
  }),
);

const defineAnswer = (code: string, next: string, transient = false) =>
  defineError(code, (f: FailedCall) => ({
    what: `Cannot ${f.doing}`,
    why: f.reason,
    next,
    transient,
    cause: f.cause,
  }));

/** What a node answered instead of doing it. */
export const unavailable = defineAnswer("TALOS_UNAVAILABLE", "Wait a moment and try again", true);
export const notYet = defineAnswer("TALOS_NOT_YET", "Wait a moment and try again", true);
export const alreadyExists = defineAnswer("TALOS_ALREADY_EXISTS", "Check what exists; nothing was changed");
export const invalidArgument = defineAnswer(
  "TALOS_INVALID_ARGUMENT",
  "This is a mistake in the call; report it",
);
export const configInvalid = defineAnswer(
  "TALOS_CONFIG_INVALID",
  "Correct the patches of this node in the cluster file",
);
export const notFound = defineAnswer("TALOS_NOT_FOUND", "Check the name; the node does not have it");
export const unimplemented = defineAnswer("TALOS_UNIMPLEMENTED", "Check the node's Talos version and state");
export const denied = defineAnswer(
  "TALOS_DENIED",
  "Use a client certificate with the role os:admin, and dial the node itself",
);

export const preconditionFailed = defineError("TALOS_PRECONDITION", (f: FailedCall) => ({
  what: `Cannot ${f.doing}`,
  why: f.reason,
  next: `Look at the node with "talosctl -n ${f.address} dmesg"`,
  cause: f.cause,
}));

export const callFailed = defineError("TALOS_CALL_FAILED", (f: FailedCall) => ({
  what: `Cannot ${f.doing}`,
  why: f.reason,
  next: `Look at the node with "talosctl -n ${f.address} dmesg"`,
  cause: f.cause,
}));

/** True for one of our errors with this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof SlipwayError && error.code === code;

export const installerFailed = defineError(
  "TALOS_INSTALLER_FAILED",
  (f: { address: string; image: string; code: number | undefined; last: string }) => ({
    what: `Cannot upgrade ${f.address} with "${f.image}"`,
    why:
      f.code === undefined
        ? "the installer was cut short"
        : `the installer ended with code ${f.code}${f.last && `: ${f.last}`}`,
    next: "The running system was left as it was. Correct what the installer names, then upgrade again",
  }),
  [{ code: undefined }],
);

export const watchFailed = defineError(
  "TALOS_WATCH_FAILED",
  (f: { address: string; type: string; why: string }) => ({
    what: `Cannot watch ${f.type} on ${f.address}`,
    why: f.why || "the node ended the watch",
    next: "List the resources again, then watch them again",
    transient: true,
  }),
);

export const notInMaintenance = defineError("TALOS_NOT_IN_MAINTENANCE", (address: string) => ({
  what: `Cannot send the first config to ${address}`,
  why: "the node has a config already: it does not show the certificate of maintenance mode",
  next: `Check that ${address} is the machine you mean; reset it if its content may go`,
}));

export const fingerprintMismatch = defineError(
  "TALOS_FINGERPRINT_MISMATCH",
  (f: { address: string; wanted: string; found: string }) => ({
    what: `Cannot send the first config to ${f.address}`,
    why: `the node shows the fingerprint "${f.found}", wanted is "${f.wanted}"`,
    next: "Read the fingerprint from the node's console; each boot in maintenance mode makes a new one",
  }),
);

export const badArchive = defineError("TALOS_BAD_ARCHIVE", (address: string) => ({
  what: `Cannot read the kubeconfig that ${address} sent`,
  why: "the answer is not an archive with a file in it",
  next: "Try again; if it happens twice, report it with the Talos version",
}));
