import type { Recovery, StepContext } from "../../../../plan/index.ts";
import { plainLine, type HostSession } from "../../../linux-hosts/index.ts";
import { foundingFile } from "../../files/membership-file.ts";
import type { K3sAccess } from "../../k3s-access.ts";
import { k3sPaths } from "../../paths.ts";
import { hearEveryServer } from "../members/ask-servers.ts";
import type { Membership } from "../members/membership-of.ts";
import type { NodeWant } from "../node/node-want.ts";
import { oldServerAnswers, resetFailed } from "./errors.ts";

/** The first server of a cluster whose database comes from a backup. */
export const isRestored = (want: NodeWant): want is NodeWant & { recovery: Recovery } =>
  want.isFirst === true && want.recovery !== undefined;

/** It neither joins nor comes back, and a reset is refused while a server is named. Nobody else may hold the cluster. */
export async function membershipOfRestored(
  access: K3sAccess,
  ctx: StepContext,
  want: NodeWant,
): Promise<Membership> {
  const server = await hearEveryServer(access, ctx, want);
  if (server !== undefined) throw oldServerAnswers({ ...want, server });
  return { text: foundingFile() };
}

const resetDeadlineMs = 15 * 60_000;

/**
 * Exchanges the database of a server that does not run for that of the backup. K3s puts the old one aside, and leaves a flag
 * by which a run that was cut knows that it is done.
 */
export async function restoreDatabase(
  access: K3sAccess,
  ctx: StepContext,
  host: HostSession,
  want: NodeWant & { recovery: Recovery },
): Promise<void> {
  const { signal } = ctx;
  const { bytes, sha256 } = want.recovery;
  const source = access.world.recoverySource(want.cluster);
  if (await host.exists(k3sPaths.resetFlag, signal)) {
    if (await source.hasBegun()) return;
    await host.remove(k3sPaths.resetFlag, signal);
  }
  const to = k3sPaths.restoredSnapshot;
  await host.upload(
    { file: () => source.read(signal), bytes, sha256, to, mode: "0600" },
    (sent) => ctx.progress(sent, bytes, "bytes"),
    signal,
  );
  await source.begin();
  const flags = ["--cluster-reset", `--cluster-reset-restore-path=${to}`, "--etcd-s3=false"];
  const { code, stderr } = await host.try(["k3s", "server", ...flags], {
    signal,
    deadlineMs: resetDeadlineMs,
  });
  // Run again after a lost line, it says that it is done.
  if (code !== 0 && !(await host.exists(k3sPaths.resetFlag, signal)))
    throw resetFailed({ ...want, said: plainLine(stderr.trim().split("\n").at(-1) ?? `code ${code}`) });
  await host.remove(to, signal);
}
