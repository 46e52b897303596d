import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import { machineImage } from "../../../images/index.ts";
import { failed, machineOf, type Check, type ReadContext } from "../../../plan/index.ts";
import { isLeftDisk } from "../disks/machine-volumes.ts";
import { machineNameOf } from "../../../spec/index.ts";
import { machineUuid, systemVolume } from "../names.ts";
import { findPool } from "../pool/pool.ts";
import { readMachine } from "../machine/read-machine.ts";
import { namesTaken } from "./errors.ts";
import { placedCheck, type HostView } from "./host-view.ts";

interface Taken {
  node: string;
  name: string;
  by: string;
}

const nameOf = ({ cluster }: HostView, node: string): string =>
  machineNameOf(cluster, node, "{cluster}-{node}");

/** Machines and volumes are found by name, so no others may have these. */
export const namesCheck = (view: HostView): Check =>
  placedCheck(view, "libvirt-names", ["Names are free or ours", "Names are taken"], async (ctx) => {
    const client = await view.client();
    const needed = view.placed.map(({ node }) => nameOf(view, node.name)).join(", ");
    const taken = [...(await takenMachines(ctx, client, view)), ...(await takenVolumes(ctx, client, view))];
    return taken.length === 0
      ? { status: "ok", needed, found: "free or ours" }
      : failed(namesTaken({ host: view.host, taken }), { needed });
  });

async function takenMachines(ctx: ReadContext, client: LibvirtClient, view: HostView): Promise<Taken[]> {
  const { cluster } = view;
  const domains = await client.domains(ctx.signal);
  const looks = view.placed.map(async ({ node }): Promise<Taken[]> => {
    const name = nameOf(view, node.name);
    const uuid = machineUuid(cluster.name, node.name);
    // Its own machine may have another name yet, while somebody else has the one it is to get.
    const found = domains.filter((each) => each.name === name || each.uuid === uuid);
    const owners = await Promise.all(
      found.map(async (domain) => ({
        domain,
        mark: readMachine(await client.domainXml(domain, "defined", ctx.signal)).mark,
      })),
    );
    const other = owners.find(({ mark }) => mark?.cluster !== cluster.name || mark.node !== node.name);
    if (!other) return [];
    const by = other.mark
      ? `node ${other.mark.node} of cluster ${other.mark.cluster}`
      : `machine "${other.domain.name}", not made by Slipway`;
    return [{ node: node.name, name, by }];
  });
  return (await Promise.all(looks)).flat();
}

/** A disk without its machine is not ours, unless it stands on an image of ours: the machine was removed by hand then. */
async function takenVolumes(ctx: ReadContext, client: LibvirtClient, view: HostView): Promise<Taken[]> {
  const { pool: wanted } = view.host.libvirt;
  const seen = await findPool(ctx, client, wanted.name);
  if (!seen?.isActive) return [];
  const volumes = await client.volumes(seen.pool, ctx.signal);
  const image = { file: machineImage(view.cluster).fileName };
  const looks = view.placed
    .filter(({ node }) => machineOf(view, node.name) === undefined)
    .flatMap(({ node, isMadeAgain }) =>
      (["raw", "qcow2"] as const).map(async (format): Promise<Taken[]> => {
        const name = systemVolume(view.cluster.name, node.name, format);
        const volume = volumes.find((each) => each.name === name);
        if (!volume || (await isLeftDisk(client, volume, { image, isMadeAgain }, ctx.signal))) return [];
        const by = `a volume in pool "${wanted.name}" that no machine of ours has`;
        return [{ node: node.name, name, by }];
      }),
    );
  return (await Promise.all(looks)).flat();
}
