import type { StandIn } from "../../common/stand-in/index.ts";
import { kubeletCsrApprover } from "./chart.ts";

export const standIn: StandIn = { charts: kubeletCsrApprover };
