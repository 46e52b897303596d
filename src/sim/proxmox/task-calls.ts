import { badParameter, forbidden } from "./api-error.ts";
import { Listing, PlainText, type CallContext, type Handlers } from "./call.ts";
import { userOf } from "./access/privileges.ts";
import { splitList } from "./parameters/formats.ts";
import type { Task } from "./state.ts";
import { stopTask } from "./tasks.ts";

const defaultRows = 50;

export const taskCalls: Handlers<
  | "GET /nodes/{node}/tasks"
  | "GET /nodes/{node}/tasks/{upid}"
  | "DELETE /nodes/{node}/tasks/{upid}"
  | "GET /nodes/{node}/tasks/{upid}/status"
  | "GET /nodes/{node}/tasks/{upid}/log"
> = {
  "GET /nodes/{node}/tasks": (context, filter) => {
    const source = filter.source ?? "archive";
    const rows = context.cluster.state.tasks
      .filter((task) => task.node === filter.node)
      .filter((task) => source === "all" || (source === "active") === (task.exitstatus === undefined))
      .filter((task) => filter.vmid === undefined || task.id === String(filter.vmid))
      .filter((task) => filter.typefilter === undefined || task.type === filter.typefilter)
      .filter((task) => isOf(task, filter.userfilter ?? ""))
      .filter((task) => filter.since === undefined || task.starttime >= filter.since)
      .filter((task) => filter.until === undefined || task.starttime <= filter.until)
      .filter((task) => filter.errors !== true || !/^(?:OK|WARNINGS: \d+)$/.test(task.exitstatus ?? "OK"))
      .filter((task) => filter.statusfilter === undefined || endsAs(filter.statusfilter, task))
      .toReversed();
    const visible = rows.filter((task) => maySeeTask(context, task)).map(nodeRow);
    const start = filter.start ?? 0;
    const shown = visible.slice(start, start + (filter.limit ?? defaultRows));
    return new Listing(shown, visible.length);
  },

  "GET /nodes/{node}/tasks/{upid}": () => [{ name: "log" }, { name: "status" }],

  "DELETE /nodes/{node}/tasks/{upid}": async (context, { node, upid }) => {
    knownTask(context, node, upid);
    demandTask(context, node, upid, "Sys.Modify");
    const worker = context.cluster.workers.get(upid);
    stopTask(context.cluster, upid);
    await worker?.done;
  },

  "GET /nodes/{node}/tasks/{upid}/status": (context, { node, upid }) => {
    const task = knownTask(context, node, upid);
    demandTask(context, node, upid, "Sys.Audit");
    return {
      ...taskHead(task),
      pid: task.pid,
      pstart: task.pstart,
      status: task.exitstatus === undefined ? "running" : "stopped",
      exitstatus: task.exitstatus,
    };
  },

  "GET /nodes/{node}/tasks/{upid}/log": (
    context,
    { node, upid, start = 0, limit = defaultRows, download },
  ) => {
    const task = demandTask(context, node, upid, "Sys.Audit");
    if (download && task) return new PlainText(task.log.map((line) => `${line}\n`).join(""));
    const lines = task?.log ?? ["unable to open file - No such file or directory"];
    const all = lines.length === 0 ? ["no content"] : lines;
    const rows = all.map((t, index) => ({ n: index + 1, t }));
    // 8 forgets the list around the one line that says there is none.
    if (!task && context.cluster.version === 8) return new Listing(rows[0] ?? [], all.length);
    return new Listing(limit === 0 ? rows : rows.slice(start, start + limit), all.length);
  },
};

const isOf = ({ owner }: Task, part: string): boolean => owner.toLowerCase().includes(part.toLowerCase());

/** How a task ended, as far as it has. */
function kindOfEnd({ exitstatus: exit }: Task): "ok" | "warning" | "error" | "unknown" {
  if (exit === undefined || exit === "unexpected status") return "unknown";
  if (exit === "OK") return "ok";
  return /^WARNINGS: \d+$/.test(exit) ? "warning" : "error";
}

const endsAs = (kinds: string, task: Task): boolean =>
  splitList(kinds.toLowerCase()).includes(kindOfEnd(task));

/** The task of that name, if the node has it: asked for before any right, but for the log, which may be gone alone. */
function knownTask(context: CallContext, node: string, upid: string): Task {
  const task = findTask(context, node, upid);
  if (!task) throw badParameter({ upid: "no such task" });
  return task;
}

function findTask({ cluster }: CallContext, node: string, upid: string): Task | undefined {
  if (!/^UPID:[^:]+:[0-9A-F]{8,9}:[0-9A-F]{8,9}:[0-9A-F]{8}:[^:\s]+:[^:\s]*:[^:\s]+:$/.test(upid)) {
    throw badParameter({ upid: "unable to parse worker upid" });
  }
  return cluster.state.tasks.find((task) => task.upid === upid && task.node === node);
}

/** Everybody may look at their own tasks, others need a right on the node. */
function demandTask(context: CallContext, node: string, upid: string, priv: string): Task | undefined {
  const task = findTask(context, node, upid);
  const owner = upid.split(":")[7] ?? "";
  const isOwn = owner === context.caller.id || userOf(owner) === context.caller.id;
  if (!isOwn && !context.may.all(`/nodes/${node}`, [priv])) throw forbidden(`/nodes/${node}`, [priv]);
  return task;
}

/** User and token stand apart once a task is over. */
function taskHead(task: Task): Record<string, unknown> {
  const [user, tokenid] = task.owner.split("!");
  return {
    upid: task.upid,
    node: task.node,
    type: task.type,
    id: task.id,
    starttime: task.starttime,
    user,
    tokenid,
  };
}

/** A task in a node's list: those under way name their owner in full. */
function nodeRow(task: Task): Record<string, unknown> {
  const process = { pid: task.pid, pstart: task.pstart };
  return task.exitstatus === undefined
    ? { ...taskHead(task), ...process, user: task.owner, saved: "0", status: "RUNNING" }
    : { ...taskHead(task), ...process, endtime: task.endtime, status: task.exitstatus };
}

/** A task in the list of the whole cluster. */
export const clusterRow = (task: Task): Record<string, unknown> => ({
  ...taskHead(task),
  ...(task.exitstatus === undefined
    ? { saved: "0" }
    : { saved: "1", endtime: task.endtime, status: task.exitstatus }),
});

/** One's own tasks, a user's also those of its tokens, and those of nodes one may audit. */
export const maySeeTask = (context: CallContext, task: Task): boolean =>
  task.owner === context.caller.id ||
  userOf(task.owner) === context.caller.id ||
  context.may.all(`/nodes/${task.node}`, ["Sys.Audit"]);
