import { inHashOrder } from "../hash-order.ts";
import { refusal, under } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { splitList } from "../parameters/formats.ts";
import {
  demandDeletable,
  demandDigest,
  forgetResource,
  fullSid,
  haDigest,
  haStateOf,
  requestedState,
} from "./ha.ts";
import type { HaResource } from "./state.ts";
import { callManager } from "./manager.ts";
import { isQuorate } from "../nodes/quorum.ts";

export const haCalls: Handlers<
  | "GET /cluster/ha/resources"
  | "POST /cluster/ha/resources"
  | "GET /cluster/ha/resources/{sid}"
  | "PUT /cluster/ha/resources/{sid}"
  | "DELETE /cluster/ha/resources/{sid}"
  | "GET /cluster/ha/status/current"
> = {
  "GET /cluster/ha/resources": (context, { type }) =>
    inHashOrder(context.cluster, Object.keys(context.cluster.state.ha.resources))
      .filter((sid) => type === undefined || sid.startsWith(`${type}:`))
      .map((sid) => resourceView(context, sid)),

  "POST /cluster/ha/resources": (context, { sid: given, type, ...settings }) => {
    const { cluster } = context;
    const { resources } = cluster.state.ha;
    const sid = fullSid(given);
    demandType(sid, type);
    if (!cluster.state.vms[sid.slice("vm:".length)]) {
      throw refusal(`resource '${sid}' does not exist in cluster`);
    }
    demandGroup(context, settings.group);
    if (resources[sid]) throw refusal(`create resource failed: resource ID '${sid}' already defined`);
    resources[sid] = { ...settings, addedAt: cluster.clock.now() };
    changed(context, sid);
  },

  "GET /cluster/ha/resources/{sid}": (context, { sid }) => resourceView(context, fullSid(sid)),

  "PUT /cluster/ha/resources/{sid}": (context, params) => {
    const { sid: given, delete: removed = "", digest, ...settings } = params;
    const sid = fullSid(given);
    demandGroup(context, settings.group);
    under("update resource failed", () => {
      demandDigest(digest, context.cluster.state.ha.resources);
      const resource = findResource(context, sid);
      const gone = splitList(removed);
      demandDeletable(gone, { optional: context.cluster.version === 9 ? [...options, "failback"] : options });
      Object.assign(resource, settings);
      for (const key of gone) delete resource[key as keyof HaResource];
    });
    changed(context, sid);
  },

  "DELETE /cluster/ha/resources/{sid}": ({ cluster }, { sid: given }) => {
    const sid = fullSid(given);
    if (!cluster.state.ha.resources[sid]) {
      throw refusal(`cannot delete service '${sid}', not HA managed!`);
    }
    forgetResource(cluster, sid);
  },

  "GET /cluster/ha/status/current": ({ cluster, entry }) => [
    {
      id: "quorum",
      type: "quorum",
      node: entry,
      quorate: isQuorate(cluster) ? 1 : 0,
      status: isQuorate(cluster) ? "OK" : "No quorum on node 'localhost'!",
    },
    ...(cluster.version === 9
      ? [
          {
            id: "fencing",
            type: "fencing",
            node: entry,
            "armed-state": "standby",
            status: "standby (CRM watchdog standby)",
          },
        ]
      : []),
    ...Object.entries(cluster.state.ha.resources).map(([sid, resource]) => {
      const node = cluster.state.vms[sid.slice("vm:".length)]?.node ?? "";
      const state = haStateOf(cluster, sid, resource);
      return {
        id: `service:${sid}`,
        type: "service",
        sid,
        node,
        state,
        status: `${sid} (${node}, ${state})`,
        request_state: requestedState(resource),
        max_relocate: resource.max_relocate ?? 1,
        max_restart: resource.max_restart ?? 1,
        failback: cluster.version === 9 ? ((resource.failback ?? true) ? 1 : 0) : undefined,
        group: resource.group,
        comment: resource.comment,
      };
    }),
  ],
};

function changed({ cluster }: CallContext, sid: string): void {
  cluster.changed();
  callManager(cluster, Number(sid.slice("vm:".length)));
}

/** What can be said of a resource, and unsaid. */
const options = ["state", "group", "max_restart", "max_relocate", "comment"];

/** The type stands in the id; who says it apart must say the same. */
function demandType(sid: string, type: string | undefined): void {
  if (type !== undefined && !sid.startsWith(`${type}:`)) throw refusal("types does not match");
}

function findResource({ cluster }: CallContext, sid: string): HaResource {
  const resource = cluster.state.ha.resources[sid];
  if (!resource) throw refusal(`no such resource '${sid}'`);
  return resource;
}

function demandGroup({ cluster }: CallContext, group: string | undefined): void {
  if (group === undefined) return;
  if (cluster.version === 9)
    throw refusal("invalid parameter 'group': ha groups have been migrated to rules");
  if (!cluster.state.ha.groups[group]) throw refusal(`unknown group '${group}'`);
}

/** Only what somebody has set is told. */
function resourceView(context: CallContext, sid: string): Record<string, unknown> {
  const { addedAt: _addedAt, moveTo: _moveTo, failback, ...settings } = findResource(context, sid);
  return {
    sid,
    type: sid.split(":")[0],
    digest: haDigest(context.cluster.state.ha.resources),
    ...settings,
    failback: failback === undefined ? undefined : failback ? 1 : 0,
  };
}
