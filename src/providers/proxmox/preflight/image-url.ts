import { SlipwayError } from "../../../errors/index.ts";
import { packingOf } from "../../../images/index.ts";
import { failed, type Check, type Finding } from "../../../plan/index.ts";
import { needsRegistration } from "../image/describe-images.ts";
import { withoutSecrets } from "../image/image.ts";
import { imageNotReachable } from "./errors.ts";
import { hostCheck, newNodes, type HostView } from "./host-view.ts";

/** The nodes fetch images by themselves, with their own network, DNS and proxy, so they are asked, not this computer. */
export const imageUrlCheck = (view: HostView): Check[] => {
  const url = urlToTry(view);
  if (url === undefined) return [];
  const shown = withoutSecrets(url);
  return [
    hostCheck(
      view,
      "proxmox-image-url",
      ["Node can fetch the image", "Node cannot fetch the image"],
      async (ctx): Promise<Finding> => {
        const client = await view.client();
        try {
          const { sizeBytes } = await client.urlMetadata(view.host.proxmox.node, url, ctx.signal);
          const size = sizeBytes > 0 ? `, ${Math.round(sizeBytes / 1024 ** 2)} MiB` : "";
          return { status: "ok", needed: shown, found: `answers${size}` };
        } catch (thrown) {
          if (!(thrown instanceof SlipwayError) || !refusals.has(thrown.code)) throw thrown;
          // An image that was never asked for is built first, which outlasts the node's patience here, not later.
          if (/time-?out|timed out/i.test(thrown.why)) {
            return { status: "warned", needed: shown, found: "no answer in time; it may still be built" };
          }
          const reason = thrown.why.replace(/^Proxmox says: /, "").replaceAll(url, shown);
          // The way is open, and a server in trouble may be out of it by the time it matters. A node that finds no way
          // calls that 500 as well.
          if (/invalid server response: '5\d\d (?!Can't|read|Server closed)/.test(reason)) {
            return { status: "warned", needed: shown, found: reason };
          }
          return failed(imageNotReachable({ host: view.host, url: shown, reason }), { needed: shown });
        }
      },
    ),
  ];
};

const refusals = new Set(["PVE_REFUSED", "PVE_BAD_PARAMETER", "PVE_NOT_FOUND", "PVE_LOCKED"]);

/** Nothing, when no node would fetch anything: the image is there, or is sent from this computer. */
function urlToTry(view: HostView): string | undefined {
  if (newNodes(view).length === 0 && !view.isUndecided) return undefined;
  const { image } = view;
  if (!image) return undefined;
  const isThere = view.survey.images.some(
    (each) => each.host === view.host.name && each.file === image.fileName,
  );
  if (isThere || image.local || packingOf(image.url) !== undefined) return undefined;
  // Before the factory has heard of a schematic it knows no image of it; its list of versions is always there.
  return image.build && needsRegistration(image) ? `${image.build.factory}/versions` : image.url;
}
