/** The ways a machine comes into being: a copy of the image, an ISO it installs itself from, or a clone of a template. */
import { fromExisting } from "./from-existing.ts";
import { fromImage } from "./from-image.ts";
import { fromIso } from "./from-iso.ts";
import { fromTemplate } from "./from-template.ts";
import type { Origin, OriginView } from "./origin.ts";

export function describeOrigin(view: OriginView): Origin {
  const { origin } = view.cluster;
  switch (origin.kind) {
    case "image":
      return fromImage(view);
    case "iso":
      return fromIso(view, origin.volume);
    case "template":
      return fromTemplate(view, origin);
    case "existing":
      return fromExisting(origin.vmid, origin.clone);
  }
}

export { bootedFromIso, isInstalling } from "./from-iso.ts";
export { cloneTemplate, demandFit } from "./clone.ts";
export { cannotLink } from "./errors.ts";
export { demandTemplate } from "./find-template.ts";
export { finishClone } from "./finish-clone.ts";
export { isCloning, waitForClone } from "./wait-for-clone.ts";
export { canLinkOn } from "./linking.ts";
export { describeOldTemplates } from "./old-templates.ts";
export { originImage, type MachineSource, type NodeSource, type OriginView } from "./origin.ts";
export { readTemplateMark, templateMarkText, templateTags, type TemplateMark } from "./template-mark.ts";
