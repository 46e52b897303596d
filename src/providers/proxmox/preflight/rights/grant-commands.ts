import type { NeededRole } from "./rights.ts";

/** Who gets the rights. A token has at most those of its user. */
export interface Holder {
  user: string;
  token?: string;
}

export const holderOf = (tokenId: string): Required<Holder> => ({
  user: tokenId.split("!")[0] ?? tokenId,
  token: tokenId,
});

/** Each role with all it must hold, wherever it is granted. */
export function rolesOf(needs: NeededRole[]): Map<string, string[]> {
  const roles = new Map<string, Set<string>>();
  for (const { role, rights, later = [], wishes } of needs) {
    const held = roles.get(role) ?? new Set();
    for (const right of [...rights, ...later, ...(wishes?.rights ?? [])]) held.add(plain(right));
    roles.set(role, held);
  }
  return new Map([...roles].map(([role, rights]) => [role, [...rights].toSorted()]));
}

export const plain = (right: string): string => right.split("|")[0] ?? right;

/**
 * Commands for a shell on any Proxmox node. `known` are the roles it has already; undefined: nobody has looked, so
 * each role is extended or, where there is none, made. Safe to run again, and nothing is taken away.
 */
export function grantCommands(
  needs: NeededRole[],
  holder: Holder,
  known?: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const roles = [...rolesOf(needs)].flatMap(([role, rights]) => {
    const add = `pveum role add ${role} --privs "${rights.join(" ")}"`;
    if (!known) return [`${extension(role, rights)} 2>/dev/null || ${add}`];
    const held = known.get(role);
    if (!held) return [add];
    const lacking = rights.filter((right) => !held.has(right));
    return lacking.length === 0 ? [] : [extension(role, lacking)];
  });
  // Root has every right already; only its tokens are given some.
  const users = holder.user === "root@pam" ? "" : ` --users ${holder.user}`;
  const tokens = holder.token === undefined ? "" : ` --tokens '${holder.token}'`;
  const rules = [...new Map(needs.map((need) => [`${need.grantAt} ${need.role}`, need])).values()].map(
    ({ grantAt, role, isLocal }) =>
      `pveum acl modify ${grantAt}${users}${tokens} --roles ${role}${isLocal ? " --propagate 0" : ""}`,
  );
  return [...roles, ...rules];
}

const extension = (role: string, rights: string[]): string =>
  `pveum role modify ${role} --append 1 --privs "${rights.join(" ")}"`;
