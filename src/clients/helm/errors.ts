import { defineError } from "../../errors/index.ts";
import { connectionText } from "../../lib/index.ts";
import { chartText, type ChartRef } from "./chart/chart.ts";
import { oldestHelm } from "./program/version.ts";

export const helmMissing = defineError(
  "HELM_MISSING",
  (f: { command: string; isConfigured: boolean; cause?: unknown }) => ({
    what: "Cannot use helm",
    why: f.isConfigured
      ? `$SLIPWAY_HELM names "${f.command}", and that cannot be started`
      : `there is no helm in $PATH, and none could be fetched for this kind of machine`,
    next: f.isConfigured
      ? "Set SLIPWAY_HELM to a helm program, or unset it"
      : `Install Helm ${oldestHelm} or newer, or set SLIPWAY_HELM to one`,
    cause: f.cause,
  }),
  [{ isConfigured: false }],
);

export const helmTooOld = defineError("HELM_TOO_OLD", (f: { command: string; version: string }) => ({
  what: `Cannot use "${f.command}"`,
  why: `it is Helm ${f.version}; Slipway works with Helm 4, and with Helm 3 from ${oldestHelm} on`,
  next: "Install a newer Helm, or unset SLIPWAY_HELM and let Slipway fetch one",
}));

export const helmNotFetched = defineError(
  "HELM_DOWNLOAD_FAILED",
  (f: { url: string; cause?: unknown; status?: number | undefined }) => ({
    what: "Cannot fetch helm",
    why:
      f.status === undefined
        ? `${connectionText(innerCause(f.cause))} at ${f.url}`
        : `${f.url} answered ${f.status}`,
    next: `Install Helm ${oldestHelm} or newer on this machine, or set SLIPWAY_HELM to one`,
    transient: true,
    cause: f.cause,
  }),
  [{ status: undefined }],
);

export const helmNotGenuine = defineError(
  "HELM_CHECKSUM_WRONG",
  (f: { url: string; sha256: string; found: string }) => ({
    what: "Cannot use the helm that was fetched",
    why: `${f.url} has SHA-256 ${f.found}, the published one is ${f.sha256}`,
    next: "Check that no proxy changes downloads, or install Helm yourself and set SLIPWAY_HELM to it",
  }),
);

export const kubeconfigNeeded = defineError("HELM_NO_KUBECONFIG", (what: string) => ({
  what: `Cannot ${what}`,
  why: "no kubeconfig was given, and helm needs one for this",
  next: 'Write one with "slipway kubeconfig", then run the command again',
}));

export const chartNotFound = defineError("HELM_CHART_NOT_FOUND", (f: { chart: ChartRef; why: string }) => ({
  what: `Cannot fetch chart ${chartText(f.chart)}`,
  why: f.why,
  next: "Correct the chart's name, version or source in the cluster file",
}));

export const chartUnreachable = defineError(
  "HELM_REPOSITORY_UNREACHABLE",
  (f: { chart: ChartRef; why: string }) => ({
    what: `Cannot fetch chart ${chartText(f.chart)}`,
    why: f.why,
    next: "Check that it can be reached from here, or put the chart into a folder and name that as its source",
    transient: true,
  }),
);

export const chartUntrusted = defineError("HELM_CHART_UNTRUSTED", (f: { chart: ChartRef; why: string }) => ({
  what: `Cannot fetch chart ${chartText(f.chart)}`,
  why: f.why,
  next: "Check who answers at this address; for an authority of your own name its CA file",
}));

export const chartNotGenuine = defineError(
  "HELM_CHART_DIGEST_WRONG",
  (f: { chart: ChartRef; digest: string; found: string }) => ({
    what: `Cannot use chart ${chartText(f.chart)}`,
    why: `its digest is ${f.found}, the one asked for is ${f.digest}`,
    next: "Find out who changed the chart; correct the digest only when the change is wanted",
  }),
);

export const renderFailed = defineError("HELM_RENDER_FAILED", (f: { release: string; why: string }) => ({
  what: `Cannot render release "${f.release}"`,
  why: f.why,
  next: "Correct the values the message names, then run the command again",
}));

export const valuesRefused = defineError("HELM_VALUES_REFUSED", (f: { release: string; why: string }) => ({
  what: `Cannot use the values of release "${f.release}"`,
  why: f.why,
  next: "Correct the values the message names, then run the command again",
}));

export const ownedByOthers = defineError("HELM_NOT_OURS", (f: { release: string; why: string }) => ({
  what: `Cannot install release "${f.release}"`,
  why: f.why,
  next: "Remove the object if it is not needed, or let the add-on take over what is there",
}));

export const fieldsOwnedByOthers = defineError("HELM_CONFLICT", (f: { release: string; why: string }) => ({
  what: `Cannot change release "${f.release}"`,
  why: f.why,
  next: "Let the other manager go of these fields, or let the add-on take them over",
}));

export const releasePending = defineError(
  "HELM_RELEASE_PENDING",
  (f: { name: string; namespace: string; ageMs?: number | undefined; status?: string }) => ({
    what: `Cannot change release "${f.name}"`,
    why:
      f.ageMs === undefined
        ? "another operation on it is under way, or was killed"
        : `it is ${f.status ?? "pending"} for ${Math.max(0, Math.round(f.ageMs / 1000))} s: another operation may be under way`,
    next: `Wait for it, or end it: kubectl delete secret -n ${f.namespace} -l owner=helm,name=${f.name},status=${f.status ?? "pending-upgrade"}`,
    transient: true,
  }),
  [{ ageMs: undefined }],
);

export const hookFailed = defineError("HELM_HOOK_FAILED", (f: { release: string; why: string }) => ({
  what: `Cannot finish release "${f.release}"`,
  why: f.why,
  next: "Look at the job's pods with kubectl, then run the command again",
}));

export const releaseNotReady = defineError("HELM_NOT_READY", (f: { release: string; why: string }) => ({
  what: `Cannot finish release "${f.release}"`,
  why: f.why,
  next: 'Look at its pods with "slipway doctor", then run the command again: it goes on from here',
}));

export const webhookFailed = defineError("HELM_WEBHOOK_FAILED", (f: { release: string; why: string }) => ({
  what: `Cannot change release "${f.release}"`,
  why: f.why,
  next: "Look whether the pods of the named webhook run and can be reached from the control planes, then run the command again",
  // One that was just installed answers only after its certificate has reached the API server.
  transient: true,
}));

export const clusterUnreachable = defineError(
  "HELM_CLUSTER_UNREACHABLE",
  (f: { what: string; why: string }) => ({
    what: `Cannot ${f.what}`,
    why: f.why,
    next: "Check that a control plane runs and that its address is reachable from here, then run the command again",
    transient: true,
  }),
);

export const helmFailed = defineError("HELM_FAILED", (f: { what: string; why: string }) => ({
  what: `Cannot ${f.what}`,
  why: f.why,
  next: "Correct what the message names, then run the command again",
}));

export const helmStuck = defineError("HELM_STUCK", (f: { what: string; timeoutMs: number }) => ({
  what: `Cannot ${f.what}`,
  why: `helm did not end within ${Math.round(f.timeoutMs / 1000)} s and was stopped`,
  next: "Check that the chart's server and the cluster can be reached, then run the command again",
  transient: true,
}));

export const manifestUnreadable = defineError(
  "HELM_MANIFEST_UNREADABLE",
  (document: number, line?: number) => ({
    what: "Cannot read what the chart rendered",
    why: `document ${document} is not a Kubernetes object${line === undefined ? "" : ` (line ${line})`}`,
    next: "Correct the values the chart's templates use there, or choose another version of the chart",
  }),
);

export const releaseUnreadable = defineError("HELM_RELEASE_UNREADABLE", () => ({
  what: "Cannot read a release",
  why: "its Secret does not hold what helm writes",
  next: "Look at the Secret with kubectl; delete it if it is not helm's",
}));

/** `fetch failed` says nothing; what it wraps does. */
const innerCause = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause ? thrown.cause : thrown;
