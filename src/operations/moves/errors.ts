import { defineError } from "../../errors/index.ts";

export const cannotMove = defineError("RUN_HOST_CANNOT_MOVE", (f: { host: string; doing: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `"${f.host}" stands for machines that exist already: nothing there could carry them elsewhere`,
  next: `Empty its nodes with "kubectl drain", then shut the machines down; they start again with the host`,
}));

export const hostAway = defineError(
  "RUN_HOST_AWAY",
  (f: { host: string; doing: string; why: string; next: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.host} cannot be asked: ${f.why}`,
    next: f.next,
  }),
);

export const movesBlocked = defineError(
  "RUN_MOVES_BLOCKED",
  (f: { doing: string; reasons: string[]; next: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.reasons.join("; ")}. Nothing was moved`,
    next: f.next,
  }),
  [{ reasons: [] }],
);

export const etcdNotWhole = defineError(
  "RUN_ETCD_NOT_WHOLE",
  (f: { doing: string; cluster: string; moving: string[]; missing: string[] }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.missing.join(", ")} of ${f.cluster} ${f.missing.length === 1 ? "does" : "do"} not do ${f.missing.length === 1 ? "its" : "their"} work, and while ${f.moving.join(", ")} moves etcd could lose its majority. Nothing was moved`,
    next: `See what is wrong: slipway doctor ${f.cluster}`,
  }),
  [{ missing: [] }],
);

export const notEmpty = defineError("RUN_HOST_NOT_EMPTY", (f: { host: string; left: string[] }) => ({
  what: `Cannot leave ${f.host} alone yet`,
  why: `still there: ${f.left.join(", ")}`,
  next: `Run it again: slipway evacuate ${f.host}`,
}));
