/** What the folder of an add-on needs to say which options it has and what is wrong with them. */
export type { ClusterDraft, FleetDraft } from "../complete/draft.ts";
export { nodePlace } from "../complete/pools.ts";
export { contractMinor } from "../checks/clusters/talos.ts";
export { elsewhere } from "../checks/elsewhere.ts";
export { address, anyText } from "../schema/fields/common-fields.ts";
export { field, quote, Refusal, refuse, textField, wholeNumber, yesOrNo } from "../schema/fields/field.ts";
export { httpsUrl } from "../schema/fields/host-fields.ts";
export { lazy } from "../schema/fields/lazy.ts";
export { domain } from "../schema/fields/link-fields.ts";
export { oneKeyOf } from "../schema/fields/one-key-of.ts";
export { oneOf } from "../schema/fields/one-of.ts";
export { secret, secretRef } from "../schema/host.ts";
export { resolveAddress } from "../values/addresses.ts";
export { given } from "../../lib/index.ts";
export {
  broadcastOf,
  type Cidr,
  formatIpv4,
  isInside,
  networkOf,
  parseCidr,
  parseIpv4,
} from "../values/ipv4.ts";
export {
  chart,
  chartFieldsOfAddon,
  chartVersion,
  objectName,
  ownerField,
  valueFields,
} from "./common-fields.ts";
export { type AddonDraft, addonDrafts } from "./drafts.ts";
export type { AddonKind, AddonSurroundings, WrittenClass } from "./kind.ts";
export { kindNamed } from "./kind.ts";
export { chooseVersion, isTested, tested, versionLike } from "./versions.ts";
export type { WrittenOptions } from "./written.ts";
