import { machineImage } from "../../../images/index.ts";
import { failed, type Check } from "../../../plan/index.ts";
import { imageFormatUnfit, poolElsewhere } from "../errors.ts";
import { isBlockKind } from "../pool/open-pool.ts";
import { findPool } from "../pool/pool.ts";
import { poolKindUnfit, poolMissing, poolSpaceShort, poolStopped } from "./errors.ts";
import { hostCheck, placedCheck, type HostView } from "./host-view.ts";

export const poolCheckId = "libvirt-pool";

/** Where volumes are made under names of ours and copied from each other. libvirt does the latter for no other kind of device. */
const usableKinds = new Set(["dir", "fs", "netfs", "logical"]);

export const poolCheck = (view: HostView): Check =>
  hostCheck(view, poolCheckId, ["Storage pool is there", "Storage pool is missing"], async (ctx) => {
    const { host } = view;
    const { name, path } = host.libvirt.pool;
    const client = await view.client();
    const seen = await findPool(ctx, client, name);
    const shown = { needed: path === undefined ? name : `${name} for ${path}` };
    if (!seen && path !== undefined) return { status: "ok", ...shown, found: "nothing yet: it is made" };
    if (!seen) {
      const known = (await client.pools(ctx.signal)).map((pool) => pool.name);
      return failed(poolMissing({ host, pool: name, known }), {
        ...shown,
        found: known.join(", ") || "none",
      });
    }
    if (path !== undefined && seen.found.path !== path) {
      const error = poolElsewhere({ host: host.name, pool: name, path, found: seen.found.path });
      return failed(error, { ...shown, found: `one for ${seen.found.path}` });
    }
    const { kind } = seen.found;
    if (!usableKinds.has(kind)) {
      return failed(poolKindUnfit({ host, pool: name, kind }), { ...shown, found: `one of kind ${kind}` });
    }
    const { fileName } = machineImage(view.cluster);
    if (isBlockKind(kind) && !fileName.endsWith(".raw")) {
      const error = imageFormatUnfit({ host: host.name, pool: name, file: fileName });
      return failed(error, { ...shown, found: `one of block devices (${kind})` });
    }
    if (seen.isActive) return { status: "ok", ...shown, found: seen.found.path };
    // With a path it is ours to start.
    if (path !== undefined) return { status: "ok", ...shown, found: "stopped: it is started" };
    return failed(poolStopped({ host, pool: name }), { ...shown, found: "stopped" });
  });

// A Talos disk image with a handful of extensions, unpacked.
const imageGiB = 2;

/** These take a disk's whole size at once. Files grow as they are written, so more may be promised. */
const givesAllAtOnce = new Set(["logical", "disk"]);

/** The image once, then what each machine may come to need. */
export const spaceCheck = (view: HostView): Check =>
  placedCheck(
    view,
    "libvirt-space",
    ["Storage pool has enough space", "Storage pool has too little space"],
    async (ctx) => {
      const { name } = view.host.libvirt.pool;
      const client = await view.client();
      const seen = await findPool(ctx, client, name);
      if (!seen?.isActive) return { status: "skipped", because: poolCheckId };
      const parts = spaceWanted(view);
      const neededGiB = Math.ceil(parts.reduce((sum, each) => sum + each, 0));
      const freeGiB = Math.floor((await client.poolInfo(seen.pool, ctx.signal)).availableBytes / 2 ** 30);
      const shown = { needed: `${neededGiB} GiB in ${name}`, found: `${freeGiB} GiB free` };
      const isWhole = givesAllAtOnce.has(seen.found.kind);
      const mustFitGiB = isWhole ? neededGiB : Math.max(0, ...parts);
      if (mustFitGiB > freeGiB) {
        return failed(poolSpaceShort({ host: view.host, pool: name, neededGiB: mustFitGiB, freeGiB }), shown);
      }
      return { status: neededGiB > freeGiB ? "warned" : "ok", ...shown };
    },
  );

/** Machines begin as their difference to the image, and the image lies there once. */
function spaceWanted(view: HostView): number[] {
  const fresh = view.nodesHere.filter(({ machine }) => machine === undefined);
  const hasImage = view.survey.images.some((image) => image.host === view.host.name);
  const isKept = (cluster: string, node: string, index: number): boolean =>
    view.survey.keptDisks.some(
      (disk) => disk.cluster === cluster && disk.node === node && disk.index === index,
    );
  const machines = fresh.map(
    ({ cluster, node }) =>
      node.diskGiB +
      node.dataDisks
        .filter((_, index) => !isKept(cluster, node.name, index))
        .reduce((sum, disk) => sum + disk.sizeGiB, 0),
  );
  return [...(hasImage || fresh.length === 0 ? [] : [imageGiB]), ...machines];
}
