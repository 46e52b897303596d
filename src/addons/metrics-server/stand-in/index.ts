import type { StandIn } from "../../common/stand-in/index.ts";
import { metricsServer as chart } from "./chart.ts";
import { metricsServer } from "./measuring.ts";

export const standIn: StandIn = { charts: chart, controllers: [metricsServer] };
