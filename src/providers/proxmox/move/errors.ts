import { defineError } from "../../../errors/index.ts";

interface Facts {
  node: string;
  vmid: number;
  from: string;
  to: string;
}

export const machineGone = defineError("PVE_MOVED_MACHINE_GONE", (f: Facts) => ({
  what: `Cannot move machine "${f.node}"`,
  why: `machine ${f.vmid} is on no node of this Proxmox any more, or no longer carries our mark`,
  next: "See what is there: slipway status",
}));

export const stillThere = defineError("PVE_NOT_MOVED", (f: Facts) => ({
  what: `Cannot move machine "${f.node}"`,
  why: `the task ended well, but machine ${f.vmid} is still on ${f.from}`,
  next: `Look at the tasks of machine ${f.vmid} in the Proxmox web page, then run the command again`,
}));

export const managerDidNotMove = defineError("PVE_HA_NOT_MOVED", (f: Facts & { state: string }) => ({
  what: `Cannot move machine "${f.node}"`,
  why: `high availability was asked to move machine ${f.vmid} from ${f.from} to ${f.to} and has not; it says "${f.state}"`,
  next: `Look at the last qmigrate task of machine ${f.vmid} in the Proxmox web page: its log says why`,
  else:
    f.state === "error"
      ? `Set its HA state to "disabled", then to "started" again: an error leaves no other way`
      : undefined,
}));
