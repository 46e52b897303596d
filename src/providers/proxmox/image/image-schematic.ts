import { SlipwayError } from "../../../errors/index.ts";
import type { FactoryClient } from "../../../clients/factory/index.ts";
import { schematicYaml, type Schematic } from "../../../images/index.ts";
import { defineResource, same, type ReadContext } from "../../../plan/index.ts";
import { schematicNamedOtherwise } from "../errors.ts";
import type { HostRegistry } from "../host-registry.ts";
import { findKnownImage } from "./image.ts";

export type OpenFactory = (url: string) => FactoryClient;

export interface SchematicWant {
  factory: string;
  /** As computed here. */
  id: string;
  schematic: Schematic;
  /** The images that are to come from it. Once all of them are there, the factory is not needed. */
  images: { host: string; storage: string; file: string }[];
}

export interface SchematicHave {
  id: string;
  /** False when the factory could not be asked: the hosts' own downloads decide then. */
  isKnown: boolean;
}

/**
 * What an image is made of, known to the factory. Hosts may reach the factory where this machine does not, and
 * somebody else may have registered it, so a silent factory is no reason to stop.
 */
export const factorySchematic = (registry: HostRegistry, open: OpenFactory) =>
  defineResource<SchematicWant, SchematicHave>({
    kind: "factory/schematic",
    face: () => ({ label: "Schematic" }),

    async read(ctx, want) {
      if (await areAllThere(ctx, registry, want.images)) return { id: want.id, isKnown: true };
      const isKnown = await unlessUnreachable(ctx, () =>
        open(want.factory).hasSchematic(want.id, ctx.signal),
      );
      return isKnown === true ? { id: want.id, isKnown } : undefined;
    },

    compare: () => same,

    async create(ctx, want) {
      const factory = open(want.factory);
      const schematic = { text: schematicYaml(want.schematic), id: want.id };
      const said = await unlessUnreachable(ctx, () => factory.register(schematic, ctx.signal));
      if (said === undefined) {
        ctx.log(
          "warn",
          `schematic ${want.id.slice(0, 12)} could not be registered; the hosts' downloads decide`,
        );
        return { id: want.id, isKnown: false };
      }
      if (said.isAsComputed) return { id: want.id, isKnown: true };
      // The images are asked for by the id computed here, so that one must exist too.
      if (!(await factory.hasSchematic(want.id, ctx.signal))) {
        throw schematicNamedOtherwise({ factory: want.factory, computed: want.id, said: said.id });
      }
      ctx.log("warn", `${want.factory} gives schematic ${want.id.slice(0, 12)} another id, ${said.id}`);
      return { id: want.id, isKnown: true };
    },

    update: async (_ctx, _want, have) => have,

    // The factory keeps every schematic, and others may use the same one.
    remove: async () => undefined,

    out: (have) => ({ schematic: have.id }),
  });

async function areAllThere(
  ctx: ReadContext,
  registry: HostRegistry,
  images: SchematicWant["images"],
): Promise<boolean> {
  const found = await Promise.all(images.map((image) => findKnownImage(ctx, registry, image)));
  return found.every((image) => image !== undefined);
}

const unreachableCodes = new Set([
  "FACTORY_UNREACHABLE",
  "FACTORY_TIMEOUT",
  "FACTORY_FAILED",
  "FACTORY_TLS_UNTRUSTED",
]);

/** Whether an error says that the factory could not be asked, rather than that it said no. */
export const isUnreachable = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && unreachableCodes.has(thrown.code);

async function unlessUnreachable<T>(ctx: ReadContext, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (!isUnreachable(thrown)) throw thrown;
    ctx.log("debug", `${thrown.what}: ${thrown.why}`);
    return undefined;
  }
}
