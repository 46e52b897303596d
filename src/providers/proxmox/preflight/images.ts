import { SlipwayError, errorData } from "../../../errors/index.ts";
import type { FactoryClient } from "../../../clients/factory/index.ts";
import {
  checkExtensions,
  demandUnpacker,
  findImageFile,
  packedDownload,
  packingOf,
  versionNotOffered,
} from "../../../images/index.ts";
import {
  failed,
  type Check,
  type Finding,
  type PlacedNode,
  type ReadContext,
  type Survey,
} from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../../spec/index.ts";
import { besideFile } from "../../common/index.ts";
import { needsRegistration, bootSourceImage } from "../image/describe-images.ts";
import { withoutSecrets } from "../image/image.ts";
import { isUnreachable, type OpenFactory } from "../image/image-schematic.ts";

export interface ImageView {
  cluster: Cluster;
  placed: PlacedNode<ProxmoxHost>[];
  survey: Survey;
  openFactory?: OpenFactory | undefined;
}

/** Whether the factory can build the image at all. A factory that cannot be asked is no reason to stop. */
export function extensionsCheck({ cluster, placed, survey, openFactory }: ImageView): Check[] {
  const { distribution } = cluster;
  const image = bootSourceImage(cluster);
  if (!("factory" in distribution)) return [];
  if (!image || !openFactory || !needsRegistration(image) || isEverywhere(placed, survey, image.fileName))
    return [];
  const { version, extensions, factory } = distribution;
  return [
    {
      id: "factory-extensions",
      title: "Image factory offers the extensions",
      failing: "Image factory lacks extensions",
      async run(ctx) {
        const needed = extensions.map((name) => name.replace("siderolabs/", "")).join(", ");
        const facts = { needed: `${needed || "kernel arguments"} for Talos ${version}` };
        try {
          const offered = await offeredBy(openFactory(factory), version, ctx);
          checkExtensions(extensions, offered, version);
          return { status: "ok", ...facts, found: `${offered.length} extensions at ${factory}` };
        } catch (thrown) {
          if (isUnreachable(thrown))
            return { status: "warned", ...facts, found: thrown.why, error: errorData(thrown) };
          if (thrown instanceof SlipwayError) return failed(thrown, facts);
          throw thrown;
        }
      },
    },
  ];
}

/** The public factory has no better word for a version it lacks than "internal error", so its list is asked then. */
async function offeredBy(factory: FactoryClient, version: string, ctx: ReadContext): Promise<string[]> {
  try {
    return await factory.extensions(version, ctx.signal);
  } catch (thrown) {
    const isUnclear = thrown instanceof SlipwayError && unclearCodes.has(thrown.code);
    const versions = isUnclear ? await factory.versions(ctx.signal) : [version];
    if (versions.includes(version)) throw thrown;
    const line = version.split(".").slice(0, 2).join(".");
    const newest = versions
      .filter((each) => each.startsWith(`${line}.`) && !each.includes("-"))
      .toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }))
      .at(-1);
    throw versionNotOffered({ version, factory: factory.url, newest });
  }
}

const unclearCodes = new Set(["FACTORY_FAILED", "FACTORY_ODD_ANSWER", "FACTORY_REFUSED"]);

/** An image of the user's own: that it is here and can be unpacked, or that the hosts need not unpack it. */
export function imageFileCheck({ cluster, placed, survey }: ImageView): Check[] {
  const image = bootSourceImage(cluster);
  if (!image) return [];
  const { local, url, fileName, build } = image;
  const packing = packingOf(url);
  const isPlainDownload = !local && packing === undefined;
  if (build || isPlainDownload || isEverywhere(placed, survey, fileName)) return [];
  const run = async (): Promise<Finding> => {
    if (!local) throw packedDownload({ url: withoutSecrets(url), packing: packing ?? "" });
    const file = await findImageFile(besideFile(local, cluster.at.file), url);
    await demandUnpacker(file);
    return { status: "ok", found: file };
  };
  return [
    {
      id: "image-source",
      title: "Image can be taken as it is",
      failing: "Image cannot be used",
      run: () =>
        run().catch((thrown: unknown) => {
          if (thrown instanceof SlipwayError) return failed(thrown);
          throw thrown;
        }),
    },
  ];
}

const isEverywhere = (placed: PlacedNode<ProxmoxHost>[], survey: Survey, file: string): boolean =>
  placed.every(({ host }) => survey.images.some((image) => image.host === host.name && image.file === file));
