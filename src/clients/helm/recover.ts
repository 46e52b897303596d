import { releasePending } from "./errors.ts";
import type { HelmClient, ReleaseRef } from "./options.ts";
import { isPending, releaseSecretName } from "./release.ts";

export interface Recovery extends ReleaseRef {
  helm: HelmClient;
  /** Deletes the Secret that holds one revision; helm itself has no command for it. */
  forget(secret: { namespace: string; name: string }): Promise<unknown>;
  now: number;
  /** A pending revision younger than this may belong to somebody at work: then it is left alone. */
  quietMs: number;
  timeoutMs: number;
}

/**
 * Frees a release from an operation that was killed: helm refuses every further one until then. The pending revision is
 * forgotten rather than rolled back, so that nothing running is touched; the next upgrade finds what it left behind,
 * which carries the release's name. A removal that was cut is carried to its end.
 */
export async function recoverRelease(
  recovery: Recovery,
  signal: AbortSignal,
): Promise<"nothing" | "forgotten" | "removed"> {
  const { helm, name, namespace } = recovery;
  const last = await helm.status({ name, namespace }, signal);
  if (last?.status === "uninstalling") {
    await helm.uninstall({ name, namespace, timeoutMs: recovery.timeoutMs }, signal);
    return "removed";
  }
  if (!last || !isPending(last)) return "nothing";
  const ageMs = recovery.now - last.updatedAt;
  if (ageMs < recovery.quietMs) throw releasePending({ name, namespace, ageMs, status: last.status });
  await recovery.forget({ namespace, name: releaseSecretName(last) });
  return "forgotten";
}
