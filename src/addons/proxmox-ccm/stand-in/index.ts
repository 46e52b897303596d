import type { StandIn } from "../../common/stand-in/index.ts";
import { proxmoxCloudControllerManager } from "./chart.ts";

export const standIn: StandIn = { charts: proxmoxCloudControllerManager };
