import type { StandIn } from "../../common/stand-in/index.ts";
import { prometheusOperatorCrds } from "./chart.ts";

export const standIn: StandIn = { charts: prometheusOperatorCrds };
