/** What programs of add-ons do in a simulated cluster once their pods run. */
import type { Controller } from "../controllers/controller.ts";
import { argoCd } from "./argo-cd.ts";
import { ciliumOperator } from "./cilium.ts";
import { fluxAppliers, fluxOperator, fluxSources } from "./flux.ts";
import { longhornDeployer, longhornManager } from "./longhorn.ts";
import { metricsServer } from "./metrics-server.ts";
import { cattleCleanup } from "./cattle-cleanup.ts";
import { rancherServer } from "./rancher.ts";

export const allOperators: Controller[] = [
  ciliumOperator,
  metricsServer,
  longhornDeployer,
  longhornManager,
  fluxOperator,
  fluxSources,
  fluxAppliers,
  argoCd,
  rancherServer,
  cattleCleanup,
];
