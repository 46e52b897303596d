/** What every controller on Kubernetes needs: it knows Kubernetes, and nothing of Slipway. */
export { recordEvents, type EventText, type RecordEvent } from "./events.ts";
export { startInformer, type Informer } from "./informer.ts";
export { acquireLease } from "./lease.ts";
export { withTransitionTimes, writeStatus, type ConditionDraft } from "./status.ts";
export { WorkQueue, type Priority, type Requeue } from "./work-queue.ts";
