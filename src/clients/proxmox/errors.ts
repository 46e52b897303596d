import { defineError, type ErrorDefinition, type SlipwayError } from "../../errors/index.ts";
import { routeOf, type BodyTooLargeError } from "../../lib/index.ts";

/** What Proxmox answered when it did not do what was asked. */
export interface Refused {
  /** Completes "Cannot …": `create machine 2000 on pve1`. */
  doing: string;
  url: string;
  /** Who asked: `user@realm!token`. */
  caller?: string;
  /** 0 when the text is the end of a task. */
  status: number;
  message: string;
  /** Per parameter, for status 400. */
  errors: Record<string, string>;
}

export const unreachable = defineError(
  "PVE_UNREACHABLE",
  (f: { doing: string; url: string; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} ${connectionReason(f.cause)}`,
    next: `Check that ${f.url} answers in a browser from this machine, then run the command again`,
    cause: f.cause,
    transient: true,
    shared: f.url,
  }),
);

export const tlsUntrusted = defineError(
  "PVE_TLS_UNTRUSTED",
  (f: { url: string; found: string; problem: string }) => ({
    what: `Cannot trust the certificate of ${f.url}`,
    why: `its SHA-256 fingerprint is ${f.found}; ${f.problem}`,
    next: `Compare it with "openssl x509 -noout -fingerprint -sha256 -in /etc/pve/local/pve-ssl.pem" on the node, and if equal write tls: { fingerprint: "${f.found}" }`,
    shared: f.url,
  }),
);

export const callTimedOut = defineError(
  "PVE_TIMEOUT",
  (f: { doing: string; url: string; limitMs: number; cause: unknown }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} gave no answer within ${Math.round(f.limitMs / 1000)} s`,
    next: `Look at the load of the node and at "systemctl status pveproxy pvedaemon" there, then run the command again`,
    cause: f.cause,
    transient: true,
    shared: f.url,
  }),
);

export const answerTooLarge = defineError(
  "PVE_ANSWER_TOO_LARGE",
  (f: { doing: string; url: string; cause: BodyTooLargeError }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} sent more than ${f.cause.mostBytes / 1024 ** 2} MiB, which no Proxmox VE API does`,
    next: `Check that the url names a Proxmox VE node and port 8006`,
    cause: f.cause,
    shared: f.url,
  }),
);

export const oddAnswer = defineError(
  "PVE_ODD_ANSWER",
  (f: { doing: string; url: string; found: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.url} answered ${f.found}, which no Proxmox VE API does`,
    next: `Check that the url names a Proxmox VE node and port 8006`,
    shared: f.url,
  }),
);

export const secondFactor = defineError("PVE_SECOND_FACTOR", (f: { user: string; url: string }) => ({
  what: `Cannot log in as ${f.user}`,
  why: `${f.url} asks for a second factor after the password, which Slipway does not support`,
  next: "Add --print and run the printed commands on the Proxmox node",
  shared: f.url,
}));

export const uploadChanged = defineError(
  "PVE_UPLOAD_CHANGED",
  (f: { file: string; bytes: number; needed: number }) => ({
    what: `Cannot upload ${f.file}`,
    why: `its file changed while it was sent: ${f.needed} bytes were announced, ${f.bytes} came`,
    next: "Wait until the file is no longer written to, then run the command again",
    transient: true,
  }),
);

/** One error of ours for a refusal; Proxmox has no codes, so its words decide. */
export function refusal(refused: Refused): SlipwayError {
  const kind = refusals.find(({ fits }) => fits(refused));
  return kind ? kind.error(refused) : otherRefusal(refused);
}

interface Kind {
  fits(refused: Refused): boolean;
  error: ErrorDefinition<[Refused]>;
}

const defineRefusal = (
  code: string,
  { why, next, transient }: { next: string; why?: (r: Refused) => string; transient?: boolean },
) =>
  defineError(code, (r: Refused) => ({
    what: `Cannot ${r.doing}`,
    why: why?.(r) ?? `Proxmox says: ${words(r)}`,
    next,
    transient,
    shared: r.url,
  }));

const says =
  (pattern: RegExp) =>
  (refused: Refused): boolean =>
    pattern.test(words(refused));

const refusedTag = /Sys\.Modify for modifying tag '([^']*)'/;
const permission = /permission check failed(?: \(([^,)]+), ([^)]+)\))?/i;

/** The first that fits wins. A 403 inside a task is only text, and a lock may hide behind any status. */
export const refusals: Kind[] = [
  {
    fits: (r) => r.status === 401 && says(/authentication failure/)(r),
    error: defineRefusal("PVE_LOGIN_REFUSED", {
      why: () => "user or password were refused",
      next: "Check user (NAME@REALM, such as root@pam) and password",
    }),
  },
  {
    fits: (r) => r.status === 401,
    error: defineRefusal("PVE_LOGIN_REFUSED", {
      why: (r) => `the API token was refused (${words(r)})`,
      next: "Check the token id (USER@REALM!NAME) and its secret; a lost secret cannot be shown again, make a new token in Datacenter, Permissions, API Tokens",
    }),
  },
  {
    fits: (r) => r.status >= 595 && r.status <= 599,
    error: defineRefusal("PVE_NODE_UNREACHABLE", {
      why: (r) => `the node is not reachable inside the Proxmox cluster (${r.status} ${words(r)})`,
      next: `Check that the node is up ("pvecm nodes" on another one), then run the command again`,
      transient: true,
    }),
  },
  {
    fits: says(refusedTag),
    error: defineRefusal("PVE_TAG_FORBIDDEN", {
      why: (r) =>
        `the datacenter does not let everyone set tag "${refusedTag.exec(words(r))?.[1] ?? words(r)}"`,
      next: "Allow it in the Proxmox web page (Datacenter, Options, User Tag Access), then run the command again",
    }),
  },
  {
    fits: (r) => r.status === 403 || says(permission)(r),
    // No command for the path itself: a rule there would take the place of all that is given further up.
    error: defineRefusal("PVE_FORBIDDEN", {
      why: missingRight,
      next: "Give the token what the file needs: slipway proxmox grant",
    }),
  },
  {
    fits: says(/no quorum|cluster not ready|\/etc\/pve\/.*Permission denied/i),
    error: defineRefusal("PVE_NO_QUORUM", {
      next: `Bring enough nodes of the Proxmox cluster back ("pvecm status" shows the votes), then run the command again`,
      transient: true,
    }),
  },
  {
    fits: says(/is locked|can't lock file|got timeout|lock .*timeout|got no worker upid/i),
    error: defineRefusal("PVE_LOCKED", {
      next: "Wait until the other task on it has ended (Datacenter, Tasks), then run the command again",
      transient: true,
    }),
  },
  {
    fits: says(/already exists|refusing to override existing file|config file already exists|: File exists/i),
    error: defineRefusal("PVE_ALREADY_EXISTS", {
      next: "Choose another id or name in the cluster file, or remove what is there",
    }),
  },
  {
    fits: says(
      /does not exist|no such (cluster node|task|storage|volume|user)|No such storage|hostname lookup/i,
    ),
    error: defineRefusal("PVE_NOT_FOUND", {
      next: "Check the names of node, storage, bridge and pool in the cluster file against the Proxmox web page",
    }),
  },
  {
    fits: (r) => r.status === 400 || r.status === 501 || r.status === 506,
    error: defineRefusal("PVE_BAD_PARAMETER", {
      next: "Run with --log-level debug; if the file looks right, this Proxmox version may not know what was sent: please report it",
    }),
  },
  {
    fits: (r) => r.status === 0,
    error: defineRefusal("PVE_TASK_FAILED", {
      next: "Look at the task in the Proxmox web page, then run the command again",
    }),
  },
];

export const otherRefusal = defineError("PVE_REFUSED", (r: Refused) => ({
  what: `Cannot ${r.doing}`,
  why: `Proxmox says: ${words(r)}`,
  next: "Look at the node's own log (journalctl -u pvedaemon), then run the command again",
  transient: r.status >= 500 && r.message === "",
  shared: r.url,
}));

function missingRight(refused: Refused): string {
  const [, path, right] = permission.exec(words(refused)) ?? [];
  const who = refused.caller === undefined ? "the token" : `token ${refused.caller}`;
  return path === undefined || right === undefined
    ? `${who} lacks a right (${words(refused)})`
    : `${who} lacks ${right} on ${path}`;
}

function words(refused: Refused): string {
  const details = Object.entries(refused.errors).map(([name, text]) => `${name}: ${text.trim()}`);
  return (details.length > 0 ? details.join("; ") : refused.message.trim()) || `status ${refused.status}`;
}

function connectionReason(cause: unknown): string {
  const code = deepCode(cause);
  const known: Record<string, string> = {
    ECONNREFUSED: "refuses connections",
    ECONNRESET: "cut the connection",
    EPIPE: "cut the connection",
    ENOTFOUND: "has a name that cannot be resolved",
    EAI_AGAIN: "has a name that cannot be resolved just now",
    EHOSTUNREACH: "is not reachable from this network",
    ENETUNREACH: "is not reachable from this network",
    ETIMEDOUT: "does not answer",
  };
  return `${(code && known[code]) ?? "could not be reached"}${routeOf(cause)}`;
}

/** The system's code of the innermost cause that has one. */
export function deepCode(thrown: unknown): string | undefined {
  let found: string | undefined;
  for (let current = thrown; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string") found = current.code;
  }
  return found;
}
