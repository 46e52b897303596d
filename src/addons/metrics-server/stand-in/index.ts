import type { StandIn } from "../../common/stand-in/index.ts";
import { metricsServer as chart } from "./chart.ts";
import { ensure, operating, refOf, stampOf } from "../../../sim/kube/index.ts";

const figures = { apiVersion: "metrics.k8s.io/v1beta1", kind: "NodeMetrics" };

/** Measures every node there is. */
const metricsServer = operating({
  namespace: "kube-system",
  workload: "metrics-server",
  watches: ["Node"],
  work({ store }) {
    const names = new Set(
      store.list({ apiVersion: "v1", kind: "Node" }).map((node) => node.metadata.name ?? ""),
    );
    for (const old of store.list(figures)) if (!names.has(old.metadata.name ?? "")) store.delete(refOf(old));
    ensure(
      store,
      [...names].map((name) => ({
        ...figures,
        metadata: { name },
        timestamp: stampOf(store.clock.now()),
        window: "15s",
        usage: { cpu: "180m", memory: "900Mi" },
      })),
      "metrics-server",
    );
  },
});

export const standIn: StandIn = { charts: chart, controllers: [metricsServer] };
