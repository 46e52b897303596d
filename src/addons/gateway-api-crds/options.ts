import { z } from "zod";
import { chartVersion, oneOf, ownerField } from "../../spec/index.ts";

export interface GatewayApiCrdsOptions {
  channel: "standard" | "experimental";
}

export const gatewayApiSchema = z
  .strictObject({
    channel: oneOf({ description: "Which kinds: the stable ones, or all." }, [
      "standard",
      "experimental",
    ]).prefault("standard"),
    version: chartVersion.optional().register(z.globalRegistry, {
      description: "The version of Gateway API. Left out: the one that Cilium of this cluster wants.",
      examples: ["1.6.1"],
    }),
    ...ownerField,
  })
  .register(z.globalRegistry, {
    id: "addon-gateway-api-crds",
    description: "The kinds of Gateway API.",
    examples: [{}],
  });
