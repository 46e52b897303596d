import path from "node:path";
import type { CertificateLives } from "../../../plan/index.ts";
import { caNames } from "../../../secrets/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { kubeFacts, lifeOf, lifeOfFile, lifeOfServer } from "../../kubernetes/index.ts";
import { caCommand, caTitles } from "../rotation/running-authorities.ts";
import { talosFacts } from "../steps/access-files.ts";
import type { TalosAccess } from "../talos-access.ts";

const apiServerPort = 6443;

/**
 * Files, API servers and authorities. What nodes show at their own API lives for a day and renews itself, so it says
 * nothing; that of etcd and kubelets is theirs as well, and its authorities are here.
 */
export async function certificateLives(
  access: TalosAccess,
  { name, nodes }: Cluster,
  signal: AbortSignal,
): Promise<CertificateLives> {
  const bundle = await access.findBundle(name);
  if (!bundle) return { certificates: [], rotations: [] };
  const folder = access.folderOf(name);
  const { dial, clock } = access.route(name);
  const renew = `slipway rotate credentials ${name}`;
  const servers = nodes.filter(({ role }) => role === "control-plane");
  const seen = await Promise.all([
    lifeOfFile("kubeconfig", path.join(folder, "kubeconfig"), kubeFacts, renew),
    lifeOfFile("talosconfig", path.join(folder, "talosconfig"), talosFacts, renew),
    ...servers.map(({ name: node, address: host }) =>
      lifeOfServer(
        `Kubernetes API on ${node}`,
        { host, port: apiServerPort, dial, clock, signal },
        `talosctl -n ${host} reboot`,
      ),
    ),
  ]);
  const authorities = [
    ...caNames.flatMap((ca) => lifeOf(caTitles[ca], bundle[ca].cert, caCommand(ca, name))),
    ...lifeOf("etcd CA", bundle.etcd.cert, "no supported way exists; make the cluster again before"),
  ];
  const rotations = caNames.flatMap((ca) =>
    bundle.rotation?.[ca]
      ? [`rotation of the ${caTitles[ca]} is under way: ${caCommand(ca, name)} goes on`]
      : [],
  );
  return { certificates: [...seen.flat(), ...authorities], rotations };
}
