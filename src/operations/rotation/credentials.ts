import type { RenewedCredential } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { notConfirmed } from "../planning/errors.ts";
import { assemble } from "../planning/assemble.ts";
import { whileLocked } from "../run/guarded-run.ts";
import { rotateAccount } from "./account.ts";

export interface CredentialsRequest {
  fleet: Fleet;
  cluster: Cluster;
  /** Asked where an old credential ends at once, and what uses it stops; false ends the run with nothing done. */
  confirm(what: string): Promise<boolean>;
}

/** Issues all that opens a cluster anew, except its authorities. */
export async function rotateCredentials(
  request: CredentialsRequest,
  world: World,
): Promise<RenewedCredential[]> {
  const { fleet, cluster } = request;
  const { hasCloudAccount, name } = cluster;
  const ends = `the Proxmox token of "${name}" is refused at once; its cloud controller and storage driver wait until they have the new one`;
  if (hasCloudAccount && !(await request.confirm(ends)))
    throw notConfirmed("the question was answered with no");
  const run = { command: "rotate credentials", fleet, clusters: [name] };
  const renewed = await whileLocked(
    run,
    world,
    async () => (await assemble(world, fleet).distribution.renewAccess?.(cluster)) ?? [],
  );
  if (!hasCloudAccount) return renewed;
  const { file, hosts } = await rotateAccount({ fleet, cluster: name }, world);
  const old = `refused from now on, on ${hosts.join(", ")}; give the new one to the cluster: slipway up ${name}`;
  return [...renewed, { credential: "Proxmox token", file, old }];
}
