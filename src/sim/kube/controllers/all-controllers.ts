import { allOperators } from "../operators/index.ts";
import { apiServices } from "./api-services.ts";
import { budgets } from "./budgets.ts";
import { claims } from "./claims.ts";
import { cloudNodes } from "./cloud-nodes.ts";
import type { Controller } from "./controller.ts";
import { endpoints } from "./endpoints.ts";
import { garbage } from "./garbage.ts";
import { loadBalancers } from "./load-balancers.ts";
import { namespaces } from "./namespaces.ts";
import { nodeReadiness } from "./node-readiness.ts";
import { pods } from "./pods.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { signingRequests } from "./signing-requests.ts";
import { workloads } from "./workloads.ts";

export const allControllers: Controller[] = [
  serviceAccounts,
  workloads,
  pods,
  nodeReadiness,
  cloudNodes,
  signingRequests,
  endpoints,
  loadBalancers,
  claims,
  budgets,
  apiServices,
  garbage,
  namespaces,
  ...allOperators,
];
