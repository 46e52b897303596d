import { k3sPaths } from "../../paths.ts";
import { versionIn } from "../../release/release.ts";
import { unitName } from "../../files/unit-file.ts";
import type { HostSession, UnitState } from "../../../linux-hosts/index.ts";
import type { NodeWant } from "./node-want.ts";

/** What K3s has left on a host. */
export interface HostFindings {
  unit: UnitState;
  /** Undefined where there is no K3s. */
  version: string | undefined;
  /** A server with it neither founds nor joins again. */
  hasDatabase: boolean;
  /** It has been let in before, on this disk. */
  hasPassword: boolean;
  /** A run began to change it and did not finish. */
  isMarked: boolean;
  membership: string | undefined;
}

export async function inspectHost(
  host: HostSession,
  { role }: Pick<NodeWant, "role">,
  signal: AbortSignal,
): Promise<HostFindings> {
  const [unit, version, hasDatabase, hasPassword, isMarked, membership] = await Promise.all([
    host.unit(unitName(role), signal),
    installedVersion(host, signal),
    role === "server" ? host.exists(k3sPaths.databaseFolder, signal) : false,
    host.exists(k3sPaths.nodePassword, signal),
    host.exists(k3sPaths.restartMarker, signal),
    host.read(k3sPaths.membershipFile, signal),
  ]);
  return { unit, version, hasDatabase, hasPassword, isMarked, membership };
}

/** Undefined where there is none, or where what is there does not run. */
export async function installedVersion(host: HostSession, signal?: AbortSignal): Promise<string | undefined> {
  if (!(await host.exists(k3sPaths.binary, signal))) return undefined;
  const { code, stdout } = await host.try(["k3s", "--version"], { signal });
  return code === 0 ? versionIn(stdout) : undefined;
}
