import { apiServices } from "./api-services.ts";
import { budgets } from "./workloads/budgets.ts";
import { claims } from "./claims.ts";
import { cloudNodes } from "./nodes/cloud-nodes.ts";
import type { Controller } from "./controller.ts";
import { endpoints } from "./network/endpoints.ts";
import { garbage } from "./garbage.ts";
import { loadBalancers } from "./network/load-balancers.ts";
import { namespaces } from "./namespaces.ts";
import { nodeReadiness } from "./nodes/node-readiness.ts";
import { pods } from "./nodes/pods.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { signingRequests } from "./nodes/signing-requests.ts";
import { workloads } from "./workloads/workloads.ts";

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
];
