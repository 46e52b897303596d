import type { StandIn } from "../../common/stand-in/index.ts";
import { proxmoxCsiPlugin } from "./chart.ts";

export const standIn: StandIn = {
  charts: proxmoxCsiPlugin,
  provisioners: { "csi.proxmox.sinextra.dev": /proxmox-csi.*controller/ },
};
