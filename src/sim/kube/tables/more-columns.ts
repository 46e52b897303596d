import { ageOf } from "./age.ts";
import type { Column } from "./column.ts";
import { dig, digList, digNumber, digText, type KubeObject } from "../store/object.ts";

const orElse = (name: string, missing: string, ...path: string[]): Column => ({
  name,
  cell: (object) => digText(object, ...path) || missing,
});

const modes: Record<string, string> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

const accessModes: Column = {
  name: "Access Modes",
  cell: (object) =>
    digList(object, "spec", "accessModes")
      .map((mode) => modes[String(mode)] ?? "")
      .join(","),
};

const isJobIn = (job: KubeObject, type: string): boolean =>
  digList(job, "status", "conditions").some(
    (item) => digText(item, "type") === type && digText(item, "status") === "True",
  );

function jobStatus(job: KubeObject): string {
  if (isJobIn(job, "Complete")) return "Complete";
  if (isJobIn(job, "Failed")) return "Failed";
  return dig(job, "spec", "suspend") === true ? "Suspended" : "Running";
}

function jobDuration(job: KubeObject, nowMs: number): string {
  const started = digText(job, "status", "startTime");
  const ended = digText(job, "status", "completionTime");
  return started === "" ? "" : ageOf(started, ended === "" ? nowMs : Date.parse(ended));
}

/** Tables of storage, batch, policy and the kinds that extend the server. */
export const moreColumns: Record<string, Column[]> = {
  Job: [
    { name: "Status", cell: jobStatus },
    {
      name: "Completions",
      cell: (job) => `${digNumber(job, "status", "succeeded")}/${digNumber(job, "spec", "completions") || 1}`,
    },
    { name: "Duration", cell: jobDuration },
  ],
  CronJob: [
    orElse("Schedule", "", "spec", "schedule"),
    orElse("Timezone", "<none>", "spec", "timeZone"),
    { name: "Suspend", type: "boolean", cell: (object) => dig(object, "spec", "suspend") === true },
    { name: "Active", type: "integer", cell: (object) => digList(object, "status", "active").length },
    {
      name: "Last Schedule",
      cell: (object, nowMs) => {
        const last = digText(object, "status", "lastScheduleTime");
        return last === "" ? "<none>" : ageOf(last, nowMs);
      },
    },
  ],
  PersistentVolumeClaim: [
    orElse("Status", "", "status", "phase"),
    orElse("Volume", "", "spec", "volumeName"),
    orElse("Capacity", "", "status", "capacity", "storage"),
    accessModes,
    orElse("StorageClass", "", "spec", "storageClassName"),
    orElse("VolumeAttributesClass", "<unset>", "spec", "volumeAttributesClassName"),
  ],
  PersistentVolume: [
    orElse("Capacity", "", "spec", "capacity", "storage"),
    accessModes,
    orElse("Reclaim Policy", "", "spec", "persistentVolumeReclaimPolicy"),
    orElse("Status", "Available", "status", "phase"),
    {
      name: "Claim",
      cell: (object) =>
        [digText(object, "spec", "claimRef", "namespace"), digText(object, "spec", "claimRef", "name")]
          .filter((part) => part !== "")
          .join("/"),
    },
    orElse("StorageClass", "", "spec", "storageClassName"),
  ],
  PodDisruptionBudget: [
    orElse("Min Available", "N/A", "spec", "minAvailable"),
    orElse("Max Unavailable", "N/A", "spec", "maxUnavailable"),
    {
      name: "Allowed Disruptions",
      type: "integer",
      cell: (object) => digNumber(object, "status", "disruptionsAllowed"),
    },
  ],
  Event: [
    {
      name: "Last Seen",
      cell: (event, nowMs) =>
        ageOf(digText(event, "lastTimestamp") || event.metadata.creationTimestamp, nowMs),
    },
    orElse("Type", "", "type"),
    orElse("Reason", "", "reason"),
    {
      name: "Object",
      cell: (event) =>
        `${digText(event, "involvedObject", "kind").toLowerCase()}/${digText(event, "involvedObject", "name")}`,
    },
    orElse("Message", "", "message"),
  ],
  APIService: [
    {
      name: "Service",
      cell: (object) => {
        const name = digText(object, "spec", "service", "name");
        return name === "" ? "Local" : `${digText(object, "spec", "service", "namespace")}/${name}`;
      },
    },
    {
      name: "Available",
      cell: (object) => {
        const found = digList(object, "status", "conditions")[0];
        const reason = digText(found, "reason");
        return digText(found, "status") === "True" ? "True" : `False (${reason})`;
      },
    },
  ],
  Lease: [orElse("Holder", "", "spec", "holderIdentity")],
};
