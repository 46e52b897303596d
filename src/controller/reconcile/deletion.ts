import { rm } from "node:fs/promises";
import path from "node:path";
import { refOf } from "../../clients/kube/index.ts";
import { errorData, type ErrorData } from "../../errors/index.ts";
import { downFleet, type RunReport } from "../../operations/index.ts";
import type { Requeue } from "../machinery/index.ts";
import { deletionOf, finalizer, type SlipwayCluster } from "../objects/index.ts";
import { textOf } from "./conditions.ts";
import type { Controller } from "./context.ts";
import { folderOf } from "./controller-world.ts";
import { loadCluster } from "./load-cluster.ts";
import { withdrawAccess } from "./secrets/published.ts";
import { tellCluster } from "./tell-cluster.ts";

const pausedMs = 10 * 60_000;
const runningMs = 60_000;

/** From now on the object stays until its deletion policy is carried out. */
export async function holdObject(object: SlipwayCluster, { world }: Controller): Promise<void> {
  const { finalizers = [], resourceVersion } = object.metadata;
  if (finalizers.includes(finalizer)) return;
  const metadata = { resourceVersion, finalizers: [...finalizers, finalizer] };
  await world.client.patch(refOf(object), { metadata });
}

/** Carries out the deletion policy, then lets the object go. */
export async function removeCluster(
  object: SlipwayCluster,
  controller: Controller,
): Promise<Requeue | undefined> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return undefined;
  const policy = deletionOf(object);
  if (policy === "Orphan") return letGo(object, controller, false);
  if (object.spec.paused === true) {
    const message = "it is paused: nothing is removed before spec.paused is false";
    await tellCluster(controller, object, { deleting: { isStuck: true, message } });
    return { afterMs: pausedMs, priority: "resync" };
  }
  const failure = controller.failures.recent(object);
  if (failure) {
    await tellCluster(controller, object, { deleting: { isStuck: true, message: failure.text } });
    return { afterMs: failure.restMs, priority: "repair" };
  }
  const ended = controller.removed.has(object.metadata.uid ?? "");
  if (ended) return letGo(object, controller, policy === "Delete");
  return startDown(object, controller, policy === "Delete");
}

async function startDown(
  object: SlipwayCluster,
  controller: Controller,
  losesData: boolean,
): Promise<Requeue | undefined> {
  const { name } = object.metadata;
  const loaded = await loadCluster(object, controller).catch((thrown: unknown) => errorData(thrown));
  if ("code" in loaded)
    return isUntouched(object) ? letGo(object, controller, false) : stuck(object, controller, loaded);
  const message = losesData ? "machines and data disks are removed" : "machines are removed, data disks stay";
  const run = controller.runs.start({
    ...{ object, command: "down", policy: deletionOf(object) },
    async work({ halt, tell }) {
      const { fleet } = loaded.group;
      const report = await downFleet(
        {
          fleet,
          selection: { cluster: name },
          isDataLossAccepted: losesData,
          confirm: () => Promise.resolve(true),
        },
        { ...loaded.world, halt, tell },
      );
      if (isGone(report)) controller.removed.add(object.metadata.uid ?? "");
      return report;
    },
  });
  const running = { command: run.command, progress: run.progress() };
  await tellCluster(controller, object, { deleting: { isStuck: false, message }, running });
  return { afterMs: runningMs, priority: "repair" };
}

/** Nothing was ever planned or done for it: it was wrong from the first day. */
const isUntouched = ({ status }: SlipwayCluster): boolean =>
  status?.plan === undefined && status?.lastRun === undefined;

const isGone = ({ outcome }: RunReport): boolean => outcome === "done" || outcome === "unchanged";

async function stuck(object: SlipwayCluster, controller: Controller, error: ErrorData): Promise<Requeue> {
  controller.failures.note(object, textOf(error));
  await tellCluster(controller, object, { deleting: { isStuck: true, message: textOf(error) } });
  return { afterMs: controller.failures.recent(object)?.restMs ?? runningMs, priority: "repair" };
}

/** Secrets stay unless the data went too: whoever keeps disks may want the cluster back. Others' finalizers are theirs. */
async function letGo(
  object: SlipwayCluster,
  controller: Controller,
  forgetsSecrets: boolean,
): Promise<undefined> {
  const { client, namespace } = controller.world;
  const { name, uid = "", finalizers = [], resourceVersion } = object.metadata;
  if (deletionOf(object) !== "Orphan") await withdrawAccess(client, object, namespace);
  if (forgetsSecrets) await controller.filesOf(object, controller.world.folder).forget();
  const left = finalizers.filter((each) => each !== finalizer);
  await client.patch(refOf(object), { metadata: { resourceVersion, finalizers: left } });
  await rm(path.join(folderOf(object, controller.world), ".slipway", name), { recursive: true, force: true });
  controller.removed.delete(uid);
  controller.nodes.forget(name);
  controller.failures.clear(name);
  controller.published.delete(name);
}
