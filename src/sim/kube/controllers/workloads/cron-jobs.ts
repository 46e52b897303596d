import { digText, isFields } from "../../store/object.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";
import { ownerReferences, type Workload } from "./owned-pods.ts";

const minuteMs = 60_000;

/** Starts a job at every minute its schedule names. */
export function runCronJob(cluster: Cluster, cronJob: Workload, time: string): number | undefined {
  const { store, clock } = cluster;
  if (cronJob.spec.suspend === true) return undefined;
  const minute = Math.floor(clock.now() / minuteMs);
  const untilNextMs = (minute + 1) * minuteMs - clock.now();
  const isDue = isScheduled(digText(cronJob, "spec", "schedule"), new Date(minute * minuteMs));
  const name = `${cronJob.metadata.name}-${minute}`;
  const namespace = cronJob.metadata.namespace ?? "default";
  const isNew = Date.parse(cronJob.metadata.creationTimestamp ?? "") >= minute * minuteMs;
  if (!isDue || isNew || store.find({ apiVersion: "batch/v1", kind: "Job", namespace, name }))
    return untilNextMs;
  const template = cronJob.spec["jobTemplate"];
  const { metadata, spec } = isFields(template) ? template : {};
  store.create({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      ...(isFields(metadata) && metadata),
      name,
      namespace,
      ownerReferences: ownerReferences(cronJob) ?? [],
    },
    spec,
  });
  store.patch(refOf(cronJob), "merge", { status: { lastScheduleTime: time } }, { subresource: "status" });
  return untilNextMs;
}

/** Five fields of numbers, ranges, lists and steps; names of months and days are not read. */
function isScheduled(schedule: string, at: Date): boolean {
  const fields = (aliases[schedule] ?? schedule).trim().split(/\s+/);
  const now = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
  return (
    fields.length === 5 &&
    fields.every((field, index) => field.split(",").some((part) => fits(part, now[index] ?? 0)))
  );
}

function fits(part: string, value: number): boolean {
  const [range = "*", step = "1"] = part.split("/");
  const [from = 0, to = range.includes("-") || range === "*" ? 59 : from] =
    range === "*" ? [0, 59] : range.split("-").map(Number);
  return value >= from && value <= to && (value - from) % Number(step) === 0;
}

const aliases: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};
