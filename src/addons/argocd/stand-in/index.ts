import type { StandIn } from "../../common/stand-in/index.ts";
import { argoCd as chart } from "./chart.ts";
import { argoCd } from "./controller.ts";

export const standIn: StandIn = { charts: chart, controllers: [argoCd] };
