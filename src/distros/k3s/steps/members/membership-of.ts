import type { StepContext } from "../../../../plan/index.ts";
import type { Seen } from "../../../../plan/index.ts";
import { foundingFile, isFounding, joiningFile } from "../../files/membership-file.ts";
import { findServer, hearEveryServer } from "./ask-servers.ts";
import { serverUrl, type K3sAccess } from "../../k3s-access.ts";
import type { HostFindings } from "../node/host-state.ts";
import type { NodeWant } from "../node/node-want.ts";

/** What 10-membership.yaml has to say, and by whom a node that is new comes in. */
export interface Membership {
  text: string;
  via?: string;
}

/**
 * Whether a node founds, joins, or is a member already. Only the first server ever founds, and only when every other one
 * that may hold the cluster has been heard.
 */
export async function membershipOf(
  access: K3sAccess,
  ctx: StepContext,
  want: NodeWant,
  look: HostFindings,
): Promise<Membership> {
  if (want.role === "agent") return { text: joiningFile(want.endpoint), via: want.endpoint };
  if (look.hasDatabase) return { text: keptText(want, look.membership) };
  const via = want.isFirst
    ? await hearEveryServer(access, ctx, want)
    : await waitForServer(access, ctx, want);
  return via === undefined ? { text: foundingFile() } : { text: joiningFile(via), via };
}

/**
 * With a database nobody founds or joins. What would found a second cluster on an empty disk is not left on those who joined,
 * nor a server's own address, which an exchange of the authorities that was cut may leave.
 */
export function keptText(want: NodeWant, found: string | undefined): string {
  const isOwn = found === joiningFile(serverUrl(want.address));
  if (found !== undefined && !isOwn && (want.isFirst || !isFounding(found))) return found;
  const [peer] = want.peers;
  return peer ? joiningFile(serverUrl(want.vip ?? peer.address)) : foundingFile();
}

const waitForServer = (access: K3sAccess, ctx: StepContext, want: NodeWant): Promise<string> =>
  ctx.waitFor(
    {
      what: `a server that ${want.node} can join`,
      probe: "https",
      deadlineMs: 300_000,
      everyMs: 1_000,
    },
    async (signal): Promise<Seen<string>> => {
      const found = await findServer(access, want, signal);
      if (found !== undefined) return { done: true, value: found };
      return { done: false, seen: `no answer from ${want.peers.map(({ node }) => node).join(", ")}` };
    },
  );
