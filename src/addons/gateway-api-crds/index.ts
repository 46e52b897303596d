/** The kinds of Gateway API, which belong to the whole cluster and so have one owner. */
import { defineAddon } from "../common/index.ts";
import { type GatewayApiCrdsOptions, gatewayApiSchema } from "./options.ts";

export const gatewayApiCrds = defineAddon({
  name: "gateway-api-crds",
  versions: [{ version: "1.6.1" }, { version: "1.4.0" }, { version: "1.3.0" }],
  versionBeside: (others) =>
    others.flatMap(({ facts, version }) => facts.gatewayApi?.[lineOf(version)] ?? [])[0],
  schema: gatewayApiSchema,
  complete: ({ channel }): GatewayApiCrdsOptions => ({ channel }),
  hasNoPods: true,
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});

/** `1.19` of `1.19.7`. */
const lineOf = (version: string): string => version.split(".").slice(0, 2).join(".");
