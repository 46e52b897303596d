import { isNodeReady } from "../../../clients/kube/index.ts";
import { defineLeftover, emptyNode } from "../../kubernetes/index.ts";
import { answeringKube, type DrainWant } from "./node-object.ts";
import type { TalosAccess } from "../talos-access.ts";

/**
 * The pods of a worker that leaves. They go elsewhere before its machine does; those that may not keep the machine. A
 * node that Kubernetes does not hear cannot stop its pods, and they have been moved already.
 */
export const talosDrain = (access: TalosAccess) =>
  defineLeftover<DrainWant>({
    kind: "talos/pods",
    face: { plural: "nodes' pods" },

    async isThere(ctx, want) {
      const nodes = await (await answeringKube(access, want, ctx.signal)).nodes(ctx.signal);
      const node = nodes.find(({ metadata }) => metadata.name === want.node);
      return node !== undefined && isNodeReady(node);
    },

    async remove(ctx, have) {
      const kube = await answeringKube(access, have, ctx.signal);
      // Scratch files are gone with the machine in any case.
      await emptyNode(ctx, kube, have.node, have.drainMs, { mayLoseScratch: true });
    },
  });
