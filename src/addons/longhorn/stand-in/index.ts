import type { StandIn } from "../../common/stand-in/index.ts";
import { longhorn } from "./chart.ts";
import { longhornVolumes } from "./volumes.ts";
import { longhornDeployer, longhornManager, uninstallLonghorn } from "./manager.ts";

export const standIn: StandIn = {
  charts: longhorn,
  controllers: [longhornDeployer, longhornManager, longhornVolumes],
  commands: {
    // Its uninstaller asks for a confirmation.
    "longhorn-manager": (store, args) =>
      args[0] !== "uninstall" || uninstallLonghorn(store)
        ? { exitCode: 0, text: "" }
        : {
            exitCode: 1,
            text: "cannot uninstall Longhorn because deleting-confirmation-flag is set to false\n",
          },
  },
  provisioners: { "driver.longhorn.io": /csi-provisioner|longhorn-driver-deployer/ },
};
