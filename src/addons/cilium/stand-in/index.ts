import type { StandIn } from "../../common/stand-in/index.ts";
import { cilium } from "./chart.ts";
import { ciliumOperator } from "./operator.ts";

export const standIn: StandIn = {
  charts: cilium,
  controllers: [ciliumOperator],
  addressPools: [{ apiVersion: "cilium.io/v2", kind: "CiliumLoadBalancerIPPool" }],
};
