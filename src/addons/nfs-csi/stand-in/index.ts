import type { StandIn } from "../../common/stand-in/index.ts";
import { csiDriverNfs } from "./chart.ts";

export const standIn: StandIn = {
  charts: csiDriverNfs,
  provisioners: { "nfs.csi.k8s.io": /csi-nfs-controller/ },
};
