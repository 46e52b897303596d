import { badParameter, forbidden, refusal, taskError } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import { splitList } from "../parameters/formats.ts";
import type { Vm } from "../state.ts";
import { storageOnNode } from "../storage/volumes.ts";
import type { TaskRun } from "../tasks.ts";
import { demandArchive, findArchive, localTime } from "./archives.ts";
import { takeBackup } from "./take-backup.ts";

type DumpParams = Params<"POST /nodes/{node}/vzdump">;

const rootOnly = ["dumpdir", "script", "tmpdir"] as const;
const defaultLockWaitMinutes = 180;

export const backupCalls: Handlers<"POST /nodes/{node}/vzdump" | "GET /nodes/{node}/vzdump/extractconfig"> = {
  "POST /nodes/{node}/vzdump": (context, params) => {
    const { cluster } = context;
    const { node = context.entry, storage = "local", lockwait = defaultLockWaitMinutes } = params;
    const key = rootOnly.find((name) => params[name] !== undefined && !context.caller.isRoot);
    if (key !== undefined) throw badParameter({ [key]: "Only root may set this option." });
    context.demand.all(`/storage/${storage}`, ["Datastore.AllocateSpace"]);
    const vmids = chosen(cluster, node, params);
    const id = vmids.length === 1 ? (vmids[0] ?? "") : "";
    return context.task(node, "vzdump", id, (run) =>
      // One job per node: the next waits for its end.
      cluster.locks.hold(`${node}/var/run/vzdump.lock`, lockwait * 60_000, () =>
        runJob(context, run, { ...params, node, storage }, vmids),
      ),
    );
  },

  "GET /nodes/{node}/vzdump/extractconfig": (context, { node, volume }) => {
    demandArchive(context, undefined, volume);
    const { config } = findArchive(context.cluster, volume, node).machine;
    return configFile(config);
  },
};

/** Those of them that are on the node; others are skipped. */
function chosen(cluster: Cluster, node: string, { vmid, all, pool }: DumpParams): number[] {
  const here = Object.values(cluster.state.vms).filter((vm) => vm.node === node);
  if (vmid !== undefined) return splitList(vmid).map(Number);
  if (pool !== undefined) {
    const members = cluster.state.pools[pool]?.vms ?? [];
    return here.map((vm) => vm.vmid).filter((each) => members.includes(each));
  }
  if (!all) throw badParameter({ vmid: "property is missing and it is not optional" });
  return here.map((vm) => vm.vmid);
}

type Job = DumpParams & { node: string; storage: string };

/** Every machine is tried; the job fails at its end when one of them did. */
async function runJob(context: CallContext, run: TaskRun, job: Job, vmids: number[]): Promise<void> {
  const { cluster } = context;
  demandTarget(cluster, job);
  run.log(`INFO: starting new backup job: vzdump ${vmids.join(" ")} ${options(job)}`);
  const denied = vmids.find((vmid) => !context.may.all(`/vms/${vmid}`, ["VM.Backup"]));
  if (denied !== undefined) throw forbidden(`/vms/${denied}`, ["VM.Backup"]);
  let failed = 0;
  for (const vmid of vmids) {
    try {
      await takeBackup(cluster, run, machineOn(cluster, job.node, vmid), job);
    } catch (error) {
      run.signal.throwIfAborted();
      failed += 1;
      run.log(`ERROR: Backup of VM ${vmid} failed - ${taskError(error)}`);
      run.log(`INFO: Failed at ${localTime(cluster)}`);
    }
  }
  run.log(`INFO: Backup job finished ${failed > 0 ? "with errors" : "successfully"}`);
  if (failed > 0) throw refusal("job errors");
}

function demandTarget(cluster: Cluster, { storage, node }: Job): void {
  const found = storageOnNode(cluster, storage, node);
  if (found.content.includes("backup")) return;
  throw refusal(
    `could not get storage information for '${storage}': can't use storage '${storage}' for backups - wrong content type`,
  );
}

function machineOn(cluster: Cluster, node: string, vmid: number): Vm {
  const vm = cluster.state.vms[String(vmid)];
  if (vm?.node !== node) throw refusal(`unable to find VM '${vmid}'`);
  return vm;
}

const options = ({ node: _node, vmid: _vmid, ...rest }: Job): string =>
  Object.entries(rest)
    .flatMap(([key, value]) => (value === undefined ? [] : [`--${key} ${printed(value)}`]))
    .join(" ");

const printed = (value: string | number | boolean): string =>
  typeof value === "boolean"
    ? String(Number(value))
    : /\s/.test(String(value))
      ? `'${value}'`
      : String(value);

/** As a configuration file looks: notes first, each line behind a sign and with what would break it encoded. */
function configFile({ description, ...config }: Vm["config"]): string {
  const notes = description === undefined ? [] : String(description).split("\n");
  return [
    ...notes.map((line) => `#${encodeNotes(line)}`),
    ...Object.keys(config)
      .toSorted()
      .map((key) => `${key}: ${config[key]}`),
    "",
  ].join("\n");
}

/** Control characters, the colon, the percent sign and all beyond ASCII. */
const encodeNotes = (line: string): string =>
  [...Buffer.from(line, "utf8")]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x25 || byte === 0x3a
        ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
        : String.fromCharCode(byte),
    )
    .join("");
