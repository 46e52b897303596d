import type { EtcdMember, Supervisor } from "../../../clients/k3s/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { serversOf } from "../step-names.ts";

export type MembersAnswer = EtcdMember[] | { unreachableBecause: string };

/** The members of etcd as each server knows them. Never fails. */
export async function membersEverywhere(
  access: K3sAccess,
  cluster: K3sCluster,
  signal?: AbortSignal,
  patienceMs?: number,
): Promise<Map<string, MembersAnswer>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const answers = serversOf(cluster).map(async ({ name, address }): Promise<[string, MembersAnswer]> => {
    try {
      const ask = (server: Supervisor) => server.members(signal);
      return [name, await access.asking(cluster.name, address, ask, patienceMs)];
    } catch (thrown) {
      return [
        name,
        { unreachableBecause: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) },
      ];
    }
  });
  return new Map(await Promise.all(answers));
}

/** How many members vote; undefined when the server did not say. */
export const votersIn = (answer: MembersAnswer | undefined): number | undefined =>
  Array.isArray(answer) ? answer.filter(({ isLearner }) => !isLearner).length : undefined;
