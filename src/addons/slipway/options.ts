import { z } from "zod";
import { anyText, lazy, objectName, ownerField, wholeNumber } from "../../spec/index.ts";

export interface SlipwayOptions {
  image: string;
  replicas: number;
  pullSecrets: string[];
}

/** The controller is of the same version as the program that installs it: the two read the same file. */
export const slipwayVersion = "0.1.0";

export const slipwaySchema = lazy(() =>
  z
    .strictObject({
      image: anyText({
        description: "The image with its tag, in a registry that the nodes reach.",
        examples: [`registry.lan/slipway:${slipwayVersion}`],
      }).prefault(`registry.slipway.dev/slipway:${slipwayVersion}`),
      replicas: wholeNumber(
        { description: "How many run: one leads, the others stand by.", examples: [2] },
        1,
        5,
      ).prefault(2),
      pullSecrets: z
        .array(objectName("A Secret.", "registry"))
        .prefault([])
        .register(z.globalRegistry, {
          description: "Secrets of the namespace for a registry that wants to know who asks.",
          examples: [["registry"]],
        }),
      ...ownerField,
    })
    .register(z.globalRegistry, {
      id: "addon-slipway",
      description: "A controller that keeps further clusters as objects of this one say.",
      examples: [{ image: `registry.lan/slipway:${slipwayVersion}` }],
    }),
);

export const completeSlipway = ({
  image,
  replicas,
  pullSecrets,
}: z.output<typeof slipwaySchema>): SlipwayOptions => ({ image, replicas, pullSecrets });
