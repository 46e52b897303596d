import { renderCached } from "../../clients/helm/index.ts";
import { errorData, SlipwayError } from "../../errors/index.ts";
import { Semaphore } from "../../lib/index.ts";
import type { Check, Finding, ReadContext } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { AddonPart, BundlePart, ReleasePart, SecretPlace } from "../common/index.ts";
import type { AddonWant } from "./addon-want.ts";
import type { AddonWorld } from "./addon-world.ts";
import { manifestsUnreadable } from "./errors.ts";
import { readInventory } from "./inventory.ts";
import { objectsOf } from "./parts/part-objects.ts";
import { renderKeyOf, renderWantOf } from "./parts/rendering.ts";

/** Every rendering is a run of helm. */
const renderedAtOnce = 4;

/** What has to be at hand before the first machine is made, one check per add-on: secrets, charts that take its values, manifests. */
export function addonPreflight(world: AddonWorld, cluster: Cluster, wants: AddonWant[]): Check[] {
  const places = new Semaphore(renderedAtOnce);
  const look = (want: AddonWant, ctx: ReadContext) => checkAddon(world, cluster, want, ctx);
  return wants.map((want) => ({
    id: "addon-parts",
    title: `Add-on ${want.addon.id} can be installed`,
    run: (ctx) => places.use(() => look(want, ctx), ctx.signal),
  }));
}

async function checkAddon(
  world: AddonWorld,
  cluster: Cluster,
  want: AddonWant,
  ctx: ReadContext,
): Promise<Finding> {
  if (await isHandedOver(world, cluster, want, ctx)) return { status: "ok", found: "handed over" };
  const counts: number[] = [];
  try {
    await findSecrets(world, want);
    for (const part of want.parts) counts.push(await countObjects(world, cluster, part, want, ctx));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return failed(want, thrown);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const words = `${total} object${total === 1 ? "" : "s"}`;
  return { status: "ok", found: want.version === "" ? words : `${want.version}, ${words}` };
}

/** The place in the file is that of the add-on, unless somebody knows better. */
const failed = ({ addon, version }: AddonWant, thrown: SlipwayError): Finding => {
  const error = errorData(thrown);
  return {
    status: "failed",
    needed: [addon.id, version].filter((word) => word !== "").join(" "),
    error: isOfThisMachine(thrown)
      ? { ...error, shared: error.shared ?? "helm" }
      : { ...error, at: error.at ?? addon.at },
  };
};

/** Nothing in the file is to blame, and one message tells it for all add-ons. */
const isOfThisMachine = ({ code }: SlipwayError): boolean =>
  ["HELM_MISSING", "HELM_TOO_OLD", "HELM_DOWNLOAD_FAILED", "HELM_CHECKSUM_WRONG"].includes(code);

/** What others keep needs nothing of this machine any more. */
async function isHandedOver(
  world: AddonWorld,
  cluster: Cluster,
  { addon }: AddonWant,
  { signal }: ReadContext,
): Promise<boolean> {
  if (addon.owner !== "gitops") return false;
  try {
    const kube = await world.openKube(cluster);
    return (kube && (await readInventory(kube, addon.id, signal)))?.owner === "gitops";
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return false;
    throw thrown;
  }
}

/** All that are missing are told at once. */
async function findSecrets(world: AddonWorld, { addon, parts }: AddonWant): Promise<void> {
  const missing: SlipwayError[] = [];
  for (const { path, secret } of parts.flatMap(secretsIn)) {
    // It is made by the run itself.
    if (typeof secret === "string") continue;
    try {
      await world.resolveSecret(
        secret,
        `${path.filter((each) => each !== "stringData").join(".")} of add-on "${addon.id}"`,
      );
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError)) throw thrown;
      missing.push(thrown);
    }
  }
  const [first, ...others] = missing;
  if (!first) return;
  const { code, what, next } = first;
  const why = [first, ...others].map((each) => each.why).join("; ");
  throw others.length === 0 ? first : new SlipwayError({ code, what, why, next });
}

function secretsIn(part: AddonPart): SecretPlace[] {
  if (part.kind === "objects") return part.objects.flatMap(({ secrets = [] }) => secrets);
  return part.kind === "release" ? (part.secrets ?? []) : [];
}

function countObjects(
  world: AddonWorld,
  cluster: Cluster,
  part: AddonPart,
  want: AddonWant,
  ctx: ReadContext,
): Promise<number> | number {
  if (part.kind === "objects") return part.objects.length;
  return part.kind === "release"
    ? renderedObjects(world, cluster, part, ctx)
    : bundledObjects(world, cluster, part, want);
}

/** Rendering finds what is wrong with a chart or its values while nothing has been made yet. */
async function renderedObjects(
  world: AddonWorld,
  cluster: Cluster,
  release: ReleasePart,
  { signal }: ReadContext,
): Promise<number> {
  const want = renderWantOf(cluster, release);
  const rendering = await renderCached(world.renderFolder, renderKeyOf(want), async () =>
    (await world.openHelm(undefined)).template(want, signal),
  );
  if (!rendering.isKnown) throw rendering.why;
  return rendering.objects.length;
}

async function bundledObjects(
  world: AddonWorld,
  cluster: Cluster,
  part: BundlePart,
  { addon }: AddonWant,
): Promise<number> {
  try {
    return (await objectsOf(world, cluster, part)).length;
  } catch (thrown) {
    if (thrown instanceof SlipwayError) throw thrown;
    const place = "url" in part.from ? part.from.url : part.from.file;
    throw manifestsUnreadable({ addon: addon.id, place, cause: thrown });
  }
}
