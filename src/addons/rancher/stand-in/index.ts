import type { StandIn } from "../../common/stand-in/index.ts";
import { answerRancher } from "./api.ts";
import { cattleCleanup } from "./cattle-cleanup.ts";
import { isClusterAgent, runClusterAgent } from "./cattle-cluster-agent.ts";
import { rancher } from "./chart.ts";
import { rancherServer } from "./server.ts";
import { rancherNamespace } from "./version.ts";

export const standIn: StandIn = {
  charts: rancher,
  controllers: [rancherServer, cattleCleanup],
  runContainer: (cluster, pod, container) =>
    isClusterAgent(container) ? runClusterAgent(cluster, pod, container) : undefined,
  answerService: (store, { metadata }, path) =>
    metadata.namespace === rancherNamespace && metadata.name === "rancher"
      ? answerRancher(store, path)
      : undefined,
};
