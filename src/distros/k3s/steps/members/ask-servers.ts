import { SlipwayError } from "../../../../errors/index.ts";
import type { Seen, StepContext } from "../../../../plan/index.ts";
import { isStarting } from "../../../linux-hosts/index.ts";
import { k3sPaths } from "../../paths.ts";
import { addressOfOthers, memberUnreachable } from "../../errors.ts";
import { serverUrl, type K3sAccess } from "../../k3s-access.ts";
import type { NodeWant, Peer } from "../node/node-want.ts";

/** A quick answer is all that is needed; machines that are still to come give none. */
const patienceMs = 3_000;

/**
 * Where a server of this cluster answers now, if anywhere: the VIP and the other servers of the file are asked. Whoever
 * answers with another authority stands in the way.
 */
export async function findServer(
  access: K3sAccess,
  want: NodeWant,
  signal: AbortSignal,
): Promise<string | undefined> {
  const places = [
    ...want.peers.map(({ address }) => ({ address, isVip: false })),
    ...(want.vip === undefined ? [] : [{ address: want.vip, isVip: true }]),
  ];
  const answers = await Promise.all(
    places.map(async ({ address, isVip }) => {
      const isOurs = await isOurServer(access, want.cluster, address, signal);
      if (isOurs === false) throw addressOfOthers({ ...want, address, isVip });
      return isOurs ? [serverUrl(address)] : [];
    }),
  );
  return answers.flat()[0];
}

/** Undefined when none answers. */
async function isOurServer(
  access: K3sAccess,
  cluster: string,
  address: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  try {
    const ask = access.asking(cluster, address, (supervisor) => supervisor.caCerts(signal), patienceMs);
    return (await ask).isOurs;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}

/**
 * Before a cluster is founded, every server that existed before must be heard: that it has no database, or that it
 * answers, and then it is joined. Gives where to join, or undefined when none holds the cluster.
 */
export async function hearEveryServer(
  access: K3sAccess,
  ctx: StepContext,
  want: NodeWant,
): Promise<string | undefined> {
  const answering = await findServer(access, want, ctx.signal);
  if (answering !== undefined) return answering;
  for (const peer of want.peers.filter(({ isKnown }) => isKnown)) {
    const found = await hearServer(access, ctx, want, peer);
    if (found) return serverUrl(peer.address);
  }
  return undefined;
}

/** True when it holds the cluster and answers; false when it has no database. */
async function hearServer(access: K3sAccess, ctx: StepContext, want: NodeWant, peer: Peer): Promise<boolean> {
  const look = async (signal: AbortSignal): Promise<Seen<boolean>> => {
    try {
      const hasDatabase = await access.using(peer, (host) => host.exists(k3sPaths.databaseFolder, signal));
      if (!hasDatabase) return { done: true, value: false };
    } catch (thrown) {
      if (!isStarting(thrown)) throw thrown;
      return { done: false, seen: thrown.why };
    }
    const isOurs = await isOurServer(access, want.cluster, peer.address, signal);
    if (isOurs === false) throw addressOfOthers({ ...want, address: peer.address, isVip: false });
    return isOurs
      ? { done: true, value: true }
      : { done: false, seen: `it has a database, and ${peer.address}:6443 does not answer` };
  };
  try {
    return await ctx.waitFor(
      {
        what: `${peer.node} to say whether it holds the cluster`,
        probe: "ssh",
        deadlineMs: 300_000,
        everyMs: 2_000,
      },
      look,
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG")
      throw memberUnreachable({ ...want, peer: peer.node, address: peer.address, cause: thrown });
    throw thrown;
  }
}
