import { SlipwayError } from "../../errors/index.ts";
import { defineResource, same, type Face, type ReadContext, type StepContext } from "../../plan/index.ts";

/** What is left of a node that leaves: nothing makes it, it is found and removed. Unknown counts as absent. */
export const defineLeftover = <Want extends object>(leftover: {
  kind: string;
  face?: Partial<Face>;
  isThere(ctx: ReadContext, want: Want): Promise<boolean>;
  remove(ctx: StepContext, have: Want): Promise<void>;
}) =>
  defineResource<Want, Want>({
    kind: leftover.kind,
    face: () => leftover.face ?? {},

    async read(ctx, want) {
      try {
        return (await leftover.isThere(ctx, want)) ? want : undefined;
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: () => same,
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,
    remove: (ctx, have) => leftover.remove(ctx, have),
  });
