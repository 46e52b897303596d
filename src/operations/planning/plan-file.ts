import { createHash } from "node:crypto";
import { stableJson } from "../../lib/index.ts";
import { planEvent, type Plan, type PlannedStep, type Refusal, type Stage } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { PlanRequest } from "../plan.ts";
import { notAPlan, notAsPlanned } from "./errors.ts";
import type { Selection } from "../fleet/select.ts";

/** A plan as it is kept, read by people and by `up --plan`. Secrets stand in no field. */
export interface PlanFile {
  v: 1;
  kind: "slipway-plan";
  slipway: string;
  madeAt: string;
  /** Of what the cluster file says; comments and line breaks do not count. */
  fileDigest: string;
  /** Of what the file says, what would change and what would stay: another file or another reality gives another plan. */
  planDigest: string;
  request: {
    selection: Selection;
    until: Stage;
    acceptDataLoss: string[];
    isSnapshotted: boolean;
    backupStorage?: string | undefined;
    lostHosts?: readonly string[] | undefined;
  };
  same: number;
  steps: PlannedStep[];
  refused: Refusal[];
}

export function planFile(
  request: PlanRequest,
  plan: Plan,
  made: { slipway: string; madeAt: string },
): PlanFile {
  const { steps, same, refused } = planEvent(plan);
  const {
    fleet,
    selection,
    until,
    acceptDataLoss,
    isSnapshotted = false,
    backupStorage,
    lostHosts,
  } = request;
  const fileDigest = fleetDigest(fleet);
  return {
    v: 1,
    kind: "slipway-plan",
    ...made,
    fileDigest,
    planDigest: digestOf([fileDigest, steps.map(essence), [...plan.same].toSorted()]),
    request: { selection, until, acceptDataLoss, isSnapshotted, backupStorage, lostHosts },
    same,
    steps,
    refused,
  };
}

export function readPlanFile(file: string, text: string): PlanFile {
  try {
    const found = JSON.parse(text) as PlanFile;
    if (found.kind === "slipway-plan" && found.v === 1 && Array.isArray(found.steps)) return found;
  } catch {
    throw notAPlan(file);
  }
  throw notAPlan(file);
}

/**
 * Refuses whatever was not planned. Less than planned is fine: a run that was cut and is started again finds part of
 * its work done.
 */
export function demandAsPlanned(approved: PlanFile, fleet: Fleet, plan: Plan): void {
  if (fleetDigest(fleet) !== approved.fileDigest)
    throw notAsPlanned(["the cluster file says something else"]);
  const planned = new Map(approved.steps.map((step) => [timeless(step.id), essence(step)]));
  const differences = planEvent(plan).steps.flatMap((step) => {
    const before = planned.get(timeless(step.id));
    if (before === undefined) return [`"${step.title}" was not planned`];
    return before === essence(step) ? [] : [`"${step.title}" would now be another change`];
  });
  if (differences.length > 0) throw notAsPlanned(differences);
}

/** What somebody has approved, small enough to be kept in a status. */
export interface PlanApproval {
  digest: string;
  fileDigest: string;
  /** A short digest of each step. */
  steps: string[];
}

export const approvalOf = ({ planDigest, fileDigest, steps }: PlanFile): PlanApproval => ({
  digest: planDigest,
  fileDigest,
  steps: steps.map(stepDigest),
});

/** Less than approved is fine, as with `up --plan`: what a run that was cut has left to do. */
export const isApproved = (approval: PlanApproval, plan: PlanFile): boolean =>
  approval.fileDigest === plan.fileDigest &&
  plan.steps.every((step) => approval.steps.includes(stepDigest(step)));

const stepDigest = (step: PlannedStep): string => digestOf(essence(step)).slice(0, 12);

/** What a step does to which thing, without what is only told about it. */
const essence = ({ id, action, consequence, from, to, loses, keeps }: PlannedStep): string =>
  timeless(stableJson({ id, action, consequence, from, to, loses, keeps }));

/** Snapshots are named after the moment they are taken in. */
const timeless = (text: string): string => text.replaceAll(/slipway-\d{8}-\d{6}/g, "slipway-TIME");

const digestOf = (value: unknown): string => createHash("sha256").update(stableJson(value)).digest("hex");

const fleetDigest = ({ hosts, clusters }: Fleet): string => digestOf(withoutPlaces({ hosts, clusters }));

/** Where in the file something stands does not change what it says. */
function withoutPlaces(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, part]) => !isPlace(part));
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutPlaces(part)]));
}

const isPlace = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "line" in value && "column" in value;
