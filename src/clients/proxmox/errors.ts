import { SlipwayError, type ErrorFields } from "../../errors/index.ts";
import { wayOf, type BodyTooLargeError } from "../../lib/index.ts";

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

export const unreachable = (f: { doing: string; url: string; cause: unknown }): SlipwayError =>
  new SlipwayError({
    code: "PVE_UNREACHABLE",
    what: `Cannot ${f.doing}`,
    why: `${f.url} ${connectionReason(f.cause)}`,
    next: `Check that ${f.url} answers in a browser from this machine, then run the command again`,
    cause: f.cause,
    transient: true,
    shared: f.url,
  });

export const tlsUntrusted = (f: { url: string; found: string; problem: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_TLS_UNTRUSTED",
    what: `Cannot trust the certificate of ${f.url}`,
    why: `its SHA-256 fingerprint is ${f.found}; ${f.problem}`,
    next: `Compare it with "openssl x509 -noout -fingerprint -sha256 -in /etc/pve/local/pve-ssl.pem" on the node, and if equal write tls: { fingerprint: "${f.found}" }`,
    shared: f.url,
  });

export const callTimedOut = (f: {
  doing: string;
  url: string;
  limitMs: number;
  cause: unknown;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_TIMEOUT",
    what: `Cannot ${f.doing}`,
    why: `${f.url} gave no answer within ${Math.round(f.limitMs / 1000)} s`,
    next: `Look at the load of the node and at "systemctl status pveproxy pvedaemon" there, then run the command again`,
    cause: f.cause,
    transient: true,
    shared: f.url,
  });

export const answerTooLarge = (f: { doing: string; url: string; cause: BodyTooLargeError }): SlipwayError =>
  new SlipwayError({
    code: "PVE_ANSWER_TOO_LARGE",
    what: `Cannot ${f.doing}`,
    why: `${f.url} sent more than ${f.cause.mostBytes / 1024 ** 2} MiB, which no Proxmox VE API does`,
    next: `Check that the url names a Proxmox VE node and port 8006`,
    cause: f.cause,
    shared: f.url,
  });

export const oddAnswer = (f: { doing: string; url: string; found: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_ODD_ANSWER",
    what: `Cannot ${f.doing}`,
    why: `${f.url} answered ${f.found}, which no Proxmox VE API does`,
    next: `Check that the url names a Proxmox VE node and port 8006`,
    shared: f.url,
  });

export const secondFactor = (f: { user: string; url: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_SECOND_FACTOR",
    what: `Cannot log in as ${f.user}`,
    why: `${f.url} asks for a second factor after the password, which is not spoken here`,
    next: "Add --print and run the printed commands on the Proxmox node",
    shared: f.url,
  });

export const uploadChanged = (f: { file: string; bytes: number; needed: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_UPLOAD_CHANGED",
    what: `Cannot upload ${f.file}`,
    why: `its file changed while it was sent: ${f.needed} bytes were announced, ${f.bytes} came`,
    next: "Wait until nobody writes to the file any more, then run the command again",
    transient: true,
  });

/** One error of ours for a refusal; Proxmox has no codes, so its words decide. */
export function refusal(refused: Refused): SlipwayError {
  const kind = kinds.find((each) => each.fits(refused)) ?? anyRefusal;
  return new SlipwayError({
    what: `Cannot ${refused.doing}`,
    why: kind.why?.(refused) ?? `Proxmox says: ${words(refused)}`,
    shared: refused.url,
    ...kind.fields(refused),
  });
}

type KindFields = Pick<ErrorFields, "code" | "next" | "transient">;

interface Kind {
  fits(refused: Refused): boolean;
  fields(refused: Refused): KindFields;
  why?(refused: Refused): string;
}

const says =
  (pattern: RegExp) =>
  (refused: Refused): boolean =>
    pattern.test(words(refused));

const refusedTag = /Sys\.Modify for modifying tag '([^']*)'/;
const permission = /permission check failed(?: \(([^,)]+), ([^)]+)\))?/i;

// The first that fits wins. A 403 inside a task is only text, and a lock may hide behind any status.
const kinds: Kind[] = [
  {
    fits: (r) => r.status === 401 && says(/authentication failure/)(r),
    why: () => "user or password were refused",
    fields: () => ({
      code: "PVE_LOGIN_REFUSED",
      next: "Check user (NAME@REALM, such as root@pam) and password",
    }),
  },
  {
    fits: (r) => r.status === 401,
    why: (r) => `the API token was refused (${words(r)})`,
    fields: () => ({
      code: "PVE_LOGIN_REFUSED",
      next: "Check the token id (USER@REALM!NAME) and its secret; a lost secret cannot be shown again, make a new token in Datacenter, Permissions, API Tokens",
    }),
  },
  {
    fits: (r) => r.status >= 595 && r.status <= 599,
    why: (r) => `the node is not reachable inside the Proxmox cluster (${r.status} ${words(r)})`,
    fields: () => ({
      code: "PVE_NODE_UNREACHABLE",
      next: `Check that the node is up ("pvecm nodes" on another one), then run the command again`,
      transient: true,
    }),
  },
  {
    fits: says(refusedTag),
    why: (r) => `the datacenter lets not everybody set tag "${refusedTag.exec(words(r))?.[1] ?? ""}"`,
    fields: () => ({
      code: "PVE_TAG_FORBIDDEN",
      next: "Allow it in the Proxmox web page (Datacenter, Options, User Tag Access), then run the command again",
    }),
  },
  {
    fits: (r) => r.status === 403 || says(permission)(r),
    why: missingRight,
    // No command for the path itself: a rule there would take the place of all that is given further up.
    fields: () => ({
      code: "PVE_FORBIDDEN",
      next: "Give the token what the file needs: slipway proxmox grant",
    }),
  },
  {
    fits: says(/no quorum|cluster not ready|\/etc\/pve\/.*Permission denied/i),
    fields: () => ({
      code: "PVE_NO_QUORUM",
      next: `Bring enough nodes of the Proxmox cluster back ("pvecm status" shows the votes), then run the command again`,
      transient: true,
    }),
  },
  {
    fits: says(/is locked|can't lock file|got timeout|lock .*timeout|got no worker upid/i),
    fields: () => ({
      code: "PVE_LOCKED",
      next: "Wait until the other task on it has ended (Datacenter, Tasks), then run the command again",
      transient: true,
    }),
  },
  {
    fits: says(/already exists|refusing to override existing file|config file already exists|: File exists/i),
    fields: () => ({
      code: "PVE_ALREADY_EXISTS",
      next: "Choose another id or name in the cluster file, or remove what is there",
    }),
  },
  {
    fits: says(/does not exist|no such (cluster node|task|storage|volume)|No such storage|hostname lookup/i),
    fields: () => ({
      code: "PVE_NOT_FOUND",
      next: "Check the names of node, storage, bridge and pool in the cluster file against the Proxmox web page",
    }),
  },
  {
    fits: (r) => r.status === 400 || r.status === 501 || r.status === 506,
    fields: () => ({
      code: "PVE_BAD_PARAMETER",
      next: "Run with --log-level debug; if the file looks right, this Proxmox version may not know what was sent: please report it",
    }),
  },
];

const anyRefusal: Kind = {
  fits: () => true,
  fields: (r) =>
    r.status === 0
      ? {
          code: "PVE_TASK_FAILED",
          next: "Look at the task in the Proxmox web page, then run the command again",
        }
      : {
          code: "PVE_REFUSED",
          next: "Look at the node's own log (journalctl -u pvedaemon), then run the command again",
          transient: r.status >= 500 && r.message === "",
        },
};

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
  return `${(code && known[code]) ?? "could not be reached"}${wayOf(cause)}`;
}

/** The system's code of the innermost cause that has one. */
export function deepCode(thrown: unknown): string | undefined {
  let found: string | undefined;
  for (let current = thrown; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string") found = current.code;
  }
  return found;
}
