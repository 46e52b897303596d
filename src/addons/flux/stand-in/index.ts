import type { StandIn } from "../../common/stand-in/index.ts";
import { fluxInstance, fluxOperator as chart } from "./chart.ts";
import { fluxAppliers, fluxOperator, fluxSources } from "./controllers.ts";

export const standIn: StandIn = {
  charts: [...chart, ...fluxInstance],
  controllers: [fluxOperator, fluxSources, fluxAppliers],
};
