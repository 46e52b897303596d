import type { StandIn } from "../../common/stand-in/index.ts";
import { certManager } from "./chart.ts";

export const standIn: StandIn = { charts: certManager };
