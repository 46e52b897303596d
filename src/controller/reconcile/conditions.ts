import type { ErrorData } from "../../errors/index.ts";
import type { ConditionDraft } from "../machinery/index.ts";
import type { ClusterPhase, ConditionType, ControllerCondition, SlipwayCluster } from "../objects/index.ts";
import type { Decision } from "./policy.ts";
import type { NodesSeen } from "./watch-nodes.ts";

type Draft = ConditionDraft<ControllerCondition>;

/** What a reconcile has found out about a cluster. */
export interface Findings {
  /** Nothing can be planned: the object is wrong, or something cannot be asked. */
  problem?: { error: ErrorData; isUnreachable: boolean } | undefined;
  changes?: number | undefined;
  /** Changes whose window is closed, and when it opens. */
  waitsUntil?: string | undefined;
  /** What the plan leaves out. */
  refused?: string | undefined;
  decision?: Decision | undefined;
  running?: { command: string; progress: string } | undefined;
  /** How the last run of this generation ended, if not well. */
  failure?: string | undefined;
  nodes: NodesSeen;
  wanted: number;
  deleting?: { isStuck: boolean; message: string } | undefined;
}

/** The phase and the conditions of a cluster: what is so, what is not, and what cannot be known just now. */
export function judge(object: SlipwayCluster, found: Findings): { phase: ClusterPhase; conditions: Draft[] } {
  const observedGeneration = object.metadata.generation ?? 0;
  const draft = (type: ConditionType, status: Draft["status"], reason: string, message: string): Draft => ({
    ...{ type, status, reason, message: message.slice(0, 4_096), observedGeneration },
  });
  const is = (type: ConditionType, isSo: boolean, reason: string, message: string): Draft =>
    draft(type, isSo ? "True" : "False", reason, message);
  const ready = readiness(object, found);
  const { changes = 0, running, problem, deleting } = found;
  const available = availability(found);
  const isDrifted = changes > 0 && !running && object.status?.reachedGeneration === observedGeneration;
  return {
    phase: ready.phase,
    conditions: [
      draft("Ready", ready.status, ready.reason, ready.message),
      draft("Available", available.status, available.reason, available.message),
      is(
        "RollingOut",
        running !== undefined,
        running ? "RunInProgress" : "NoRun",
        running ? `"${running.command}": ${running.progress}` : "nothing is being changed",
      ),
      problem
        ? draft("Drifted", "Unknown", "NotPlanned", "no plan could be made")
        : is(
            "Drifted",
            isDrifted,
            isDrifted ? "Changed" : "AsWanted",
            isDrifted ? `${changes} things are not as they were made` : "nothing has changed by itself",
          ),
      is(
        "Paused",
        object.spec.paused === true,
        object.spec.paused === true ? "Paused" : "NotPaused",
        object.spec.paused === true ? "spec.paused is true: nothing is written" : "changes may be made",
      ),
      is(
        "Deleting",
        deleting !== undefined && !deleting.isStuck,
        deleting ? (deleting.isStuck ? "Stuck" : "Removing") : "NotDeleted",
        deleting?.message ?? "it is not being deleted",
      ),
      problem
        ? draft(
            "Planned",
            problem.isUnreachable ? "Unknown" : "False",
            problem.isUnreachable ? "Unreachable" : "Invalid",
            textOf(problem.error),
          )
        : draft(
            "Planned",
            "True",
            changes > 0 ? "Changes" : "NoChanges",
            changes > 0 ? `${changes} changes` : "all is as asked for",
          ),
    ],
  };
}

interface Readiness {
  phase: ClusterPhase;
  status: Draft["status"];
  reason: string;
  message: string;
}

/** The summary: the most pressing thing first. */
function readiness(object: SlipwayCluster, found: Findings): Readiness {
  const { problem, deleting, running, decision, changes = 0 } = found;
  const no = (phase: ClusterPhase, reason: string, message: string): Readiness => ({
    ...{ phase, status: "False", reason, message },
  });
  if (deleting) return no("Deleting", deleting.isStuck ? "DeletionStuck" : "Deleting", deleting.message);
  // Whoever cannot be asked may be well: that is not the same as being broken.
  if (problem?.isUnreachable)
    return { phase: "Unreachable", status: "Unknown", reason: "Unreachable", message: textOf(problem.error) };
  if (problem) return no("Failed", "Invalid", textOf(problem.error));
  if (running) return no("RollingOut", "RunInProgress", `"${running.command}": ${running.progress}`);
  if (decision?.does === "wait")
    return no(
      decision.reason === "Paused"
        ? "Paused"
        : decision.reason === "AwaitingApproval"
          ? "AwaitingApproval"
          : "Drifted",
      decision.reason,
      decision.message,
    );
  if (found.failure !== undefined) return no("Failed", "RunFailed", found.failure);
  if (found.refused !== undefined) return no("Failed", "ChangesRefused", found.refused);
  if (found.waitsUntil !== undefined)
    return no(
      "Waiting",
      "WaitingForWindow",
      `${changes} changes wait for the window, which opens ${found.waitsUntil}`,
    );
  if (changes > 0) return no("Pending", "ChangesPending", `${changes} changes are about to be made`);
  const available = availability(found);
  if (available.status === "Unknown")
    return { phase: "Unreachable", status: "Unknown", reason: available.reason, message: available.message };
  const { nodes, wanted } = found;
  if (nodes.state === "seen" && nodes.ready < wanted)
    return no(
      "Failed",
      "NodesNotReady",
      `${nodes.ready} of ${wanted} nodes are Ready: ${nodes.notReady.slice(0, 5).join(", ")}`,
    );
  const phase = object.spec.paused === true ? "Paused" : "Ready";
  return {
    phase,
    status: "True",
    reason: "AsWanted",
    message: `all ${wanted} nodes are Ready and nothing is to be changed`,
  };
}

function availability({ nodes }: Findings): Omit<Readiness, "phase"> {
  if (nodes.state === "absent")
    return { status: "False", reason: "NotMade", message: "it has no Kubernetes yet" };
  if (nodes.state === "unreachable") return { status: "Unknown", reason: "Unreachable", message: nodes.why };
  return nodes.ready > 0
    ? { status: "True", reason: "Answering", message: `its API answers, ${nodes.ready} nodes are Ready` }
    : { status: "False", reason: "NoNodeReady", message: "its API answers, and no node is Ready" };
}

export const textOf = ({ code, what, why, next }: ErrorData): string => `${what}: ${why}. ${next} (${code})`;
