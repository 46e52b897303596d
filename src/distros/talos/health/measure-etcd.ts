import type { DatabaseSize } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { TalosAccess } from "../talos-access.ts";

/** As its control planes tell; undefined where none answers. */
export async function measureEtcd(
  access: TalosAccess,
  { name, nodes }: Cluster,
  signal: AbortSignal,
): Promise<DatabaseSize | undefined> {
  const told = await Promise.all(
    nodes
      .filter(({ role }) => role === "control-plane")
      .map(({ address }) => askMember(access, name, address, signal).catch(() => undefined)),
  );
  const answers = told.filter((answer) => answer !== undefined);
  if (answers.length === 0) return undefined;
  return {
    members: Math.max(...answers.map(({ members }) => members)),
    sizeBytes: Math.max(...answers.map(({ sizeBytes }) => sizeBytes)),
  };
}

async function askMember(
  access: TalosAccess,
  cluster: string,
  address: string,
  signal: AbortSignal,
): Promise<DatabaseSize | undefined> {
  const node = await access.open(cluster, address);
  try {
    const [status, members] = await Promise.all([node.etcdStatus({ signal }), node.etcdMembers({ signal })]);
    return status && { members: members.length, sizeBytes: Number(status.dbSizeBytes) };
  } finally {
    node.close();
  }
}
