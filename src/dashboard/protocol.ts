import type { ErrorData } from "../errors/index.ts";
import type { Diagram } from "../exports/graph/index.ts";
import type { ClusterStatus, FleetCapacity, ListedBackups, PlanFile } from "../operations/index.ts";
import type { Outcome, RunEvent } from "../plan/index.ts";

/**
 * What the server and the page of the dashboard say to each other. Every call carries `Authorization: Bearer TOKEN`; answers are
 * JSON, a refusal is a `Refused` with a status of 4xx or 5xx. Streams are server-sent events, read with `fetch`: `id` is the
 * event's `seq`, `data` the event as it stands in the journal, and `event: end` with a `StreamEnd` closes a run that has no more
 * to tell. A reader that comes back sends `Last-Event-ID` and gets what it has not seen; lines that begin with a colon only say
 * that the connection lives.
 *
 * The token stands in the fragment of the address, `/#t=TOKEN`. Every address of names, such as `/homelab/plan`, is answered with
 * the page, so that places in it can be reloaded.
 */

/** `GET /api/session` */
export interface Session {
  slipway: string;
  /** The cluster file, as it was named when the server was started. */
  file: string;
  clusters: string[];
  /** A rehearsal's hosts and nodes are simulated; every screen says so. */
  world: "real" | "rehearsal";
  /** Only with `--allow-changes`; without, the page shows the command to type. */
  canChange: boolean;
  /** The clusters are those of a controller: the page shows what their objects tell, and asks for nothing but `/api/objects`. */
  management?: { server: string; namespace: string } | undefined;
  /** The run that the dashboard was opened on, by `up --ui` or `rehearse --ui`: the page begins there. */
  run?: string | undefined;
}

/** `GET /api/fleet`: what is there right now, as `status` tells it. One silent host never blanks it. */
export interface FleetAnswer {
  /** ISO time of the look. */
  at: string;
  clusters: ClusterStatus[];
  /** What the same look says of the hosts. */
  capacity: FleetCapacity;
}

/** `GET /api/backups?cluster=NAME`: the backups of a cluster in all its places, the newest first, as `backup list` tells them. */
export interface BackupsAnswer extends ListedBackups {
  /** Whether the file names a place for them. */
  hasPlace: boolean;
}

/** `GET /api/topology?cluster=NAME&from=file|cluster&view=topology|network`: the data behind `slipway graph`. */
export type TopologyAnswer = Diagram;

/** `GET /api/runs`: the journals, newest first. `GET /api/runs/RUN/events`: one of them as a stream, followed while it grows. */
export interface RunSummary {
  run: string;
  command: string;
  clusters: string[];
  world: "real" | "rehearsal";
  startedAt: string;
  /** Absent while it runs; `cut` when its writer is gone without a last word. */
  outcome?: Outcome | "cut" | undefined;
  tookMs?: number | undefined;
}

/** `GET /api/objects`: the clusters of a controller as their objects tell them, and the runs that it keeps. */
export interface ObjectsAnswer {
  /** ISO time of the look. */
  at: string;
  clusters: ManagedCluster[];
  /** Newest first. What happened in them is known to the controller alone. */
  runs: ManagedRun[];
}

export interface ManagedCluster {
  name: string;
  /** The SlipwayHosts that it is on. */
  hosts: string;
  /** In one word, as the object says it; empty before a controller has seen it. */
  phase: string;
  /** What is to know: the message of the condition Ready. */
  message: string;
  version: string;
  nodes?: { wanted: number; ready: number } | undefined;
  apply: string;
  conditions: ManagedCondition[];
  plan?: ManagedPlan | undefined;
}

export interface ManagedCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  /** ISO time of its last change. */
  since: string;
}

export interface ManagedPlan {
  summary: string;
  madeAt: string;
  changes: number;
  /** The first of them. */
  steps: { title: string; consequence: string }[];
  refused: string[];
  /** What to type where it waits for somebody. */
  approve?: string | undefined;
}

export interface ManagedRun extends RunSummary {
  /** Why it did not end well. */
  why?: string | undefined;
}

/** `POST /api/plan` with a `PlanQuestion`: what `up` would do now. Approving it names its `planDigest`. */
export interface PlanQuestion {
  cluster?: string | undefined;
}
export type PlanAnswer = PlanFile;

/** `POST /api/up` with an `Approval`: runs exactly the plan with this digest, or refuses. Answers with `StartedRun`. */
export interface Approval {
  planDigest: string;
  /** What the person typed, where the plan asks for more than a click: `textToType` in approval.ts says what that is. */
  confirm?: string | undefined;
}
export interface StartedRun {
  run: string;
}

/** `POST /api/stop` with a `StartedRun`, answered with the same: the first Ctrl-C of a run that this server started. */

/**
 * `POST /api/verify` and `POST /api/doctor` with a `HealthQuestion`: the answer is the stream of events of that look. Without
 * `--allow-changes` verify only reads, as `verify --quick` does.
 */
export interface HealthQuestion {
  cluster: string;
}

export interface Refused {
  error: ErrorData;
  /** What else stands in the way: the other preflight checks that failed. */
  more?: ErrorData[] | undefined;
}

/** The data of `event: end`. */
export interface StreamEnd {
  /** Whether there is no last word: the writer of the run is gone, or the look was broken off. */
  isCut: boolean;
  /** Why it was broken off, where that is known. */
  error?: ErrorData | undefined;
}

/** In a page that `ui --export` wrote, as JSON in `<script type="application/json" id="slipway-run">`: all it ever gets. */
export interface ExportedRun {
  session: Session;
  events: RunEvent[];
}
