import { refusal } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import { inHashOrder } from "../hash-order.ts";
import { splitList } from "../parameters/formats.ts";

export const groupCalls: Handlers<
  | "GET /access/groups"
  | "POST /access/groups"
  | "GET /access/groups/{groupid}"
  | "PUT /access/groups/{groupid}"
  | "DELETE /access/groups/{groupid}"
> = {
  "GET /access/groups": (context) => {
    const { state } = context.cluster;
    return inHashOrder(context.cluster, Object.entries(state.groups))
      .filter(([name]) =>
        context.may.any(`/access/groups/${name}`, ["User.Modify", "Sys.Audit", "Group.Allocate"]),
      )
      .map(([groupid, users]) => ({
        groupid,
        users: users.join(","),
        comment: state.groupComments?.[groupid],
      }));
  },

  "POST /access/groups": ({ cluster }, { groupid, comment }) => {
    const { groups } = cluster.state;
    if (groups[groupid]) throw refusal(`create group failed: group '${groupid}' already exists`);
    groups[groupid] = [];
    setComment(cluster, groupid, comment);
  },

  "GET /access/groups/{groupid}": ({ cluster }, { groupid }) => ({
    members: demandGroup(cluster, groupid),
    comment: cluster.state.groupComments?.[groupid],
  }),

  "PUT /access/groups/{groupid}": ({ cluster }, { groupid, comment }) => {
    demandGroup(cluster, groupid, "update group failed: ");
    setComment(cluster, groupid, comment);
  },

  "DELETE /access/groups/{groupid}": ({ cluster }, { groupid }) => {
    const { state } = cluster;
    demandGroup(cluster, groupid, "delete group failed: ");
    delete state.groups[groupid];
    delete state.groupComments?.[groupid];
    state.acl = state.acl.filter(({ kind, id }) => kind !== "group" || id !== groupid);
    cluster.changed();
  },
};

function demandGroup({ state }: Cluster, groupid: string, before = ""): string[] {
  const members = state.groups[groupid];
  if (!members) throw refusal(`${before}group '${groupid}' does not exist`);
  return members;
}

function setComment(cluster: Cluster, groupid: string, comment: string | undefined): void {
  if (comment) cluster.state.groupComments = { ...cluster.state.groupComments, [groupid]: comment };
  cluster.changed();
}

export const groupsOf = ({ state }: Cluster, userid: string): string[] =>
  Object.keys(state.groups).filter((name) => state.groups[name]?.includes(userid));

/** Puts a user into groups, out of all others unless they are to be added. */
export function joinGroups(cluster: Cluster, userid: string, list: string, isAdded: boolean): void {
  const { groups } = cluster.state;
  const wanted = splitList(list);
  const unknown = wanted.find((name) => groups[name] === undefined);
  if (unknown !== undefined) throw refusal(`no such group '${unknown}'`);
  for (const [name, members] of Object.entries(groups)) {
    const others = members.filter((id) => id !== userid);
    const stays = wanted.includes(name) || (isAdded && members.includes(userid));
    groups[name] = stays ? [...others, userid] : others;
  }
}
