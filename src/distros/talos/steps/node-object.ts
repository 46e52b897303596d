import { defineLeftover } from "../../kubernetes/index.ts";
import { removeNodeFile } from "./config-files.ts";
import type { TalosAccess } from "../talos-access.ts";

export interface NodeObjectWant {
  cluster: string;
  endpoint: string;
  node: string;
}

/** What Kubernetes remembers of a node that has left. Talos never removes it, so we do. */
export const talosNodeObject = (access: TalosAccess) =>
  defineLeftover<NodeObjectWant>({
    kind: "talos/node-object",

    async isThere(_ctx, want) {
      const nodes = await (await access.kube(want.cluster, want.endpoint)).nodes();
      return nodes.some((node) => node.metadata.name === want.node);
    },

    async remove(_ctx, have) {
      const kube = await access.kube(have.cluster, have.endpoint);
      await kube.deleteNode(have.node);
      await removeNodeFile(access, have.cluster, have.node);
    },
  });
