import { SlipwayError } from "../../../errors/index.ts";
import { failed, type Check, type Finding } from "../../../plan/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import { tryArtifacts } from "../release/find-artifacts.ts";
import { wantedArtifacts } from "../describe-node.ts";
import type { K3sAccess } from "../k3s-access.ts";

/** The files of K3s are looked for before the first machine is made. Where all nodes run already none may be needed. */
export const k3sPreflight = (access: K3sAccess, cluster: K3sCluster, existing: string[]): Check[] => {
  const isWhole = cluster.nodes.every(({ name }) => existing.includes(name));
  const needed = `K3s ${cluster.distribution.version}`;
  return [
    {
      id: "k3s-artifacts",
      title: "K3s can be fetched",
      failing: "K3s cannot be fetched",
      async run(): Promise<Finding> {
        try {
          await tryArtifacts(wantedArtifacts(cluster), access.world);
          return { status: "ok", needed, found: "its files and their checksums" };
        } catch (thrown) {
          if (!(thrown instanceof SlipwayError)) throw thrown;
          return isWhole ? { status: "warned", needed, found: thrown.why } : failed(thrown, { needed });
        }
      },
    },
  ];
};
