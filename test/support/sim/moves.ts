import type { LibvirtClient } from "../../../src/clients/libvirt/index.ts";
import type { evacuateHost, PlannedMoves, RunReport } from "../../../src/operations/index.ts";
import type { EventBody } from "../../../src/plan/index.ts";
import type { ProxmoxState } from "../../../src/sim/proxmox/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import { fleetOf, type RehearsalSite } from "./rehearsal-site.ts";

/** Hosts of one Proxmox cluster with the cluster "lab" on them, and what moving its machines shows. */

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.15.0.${n}:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }`;

export const file = (on: string[], more = "", workers = 3) => `version: 1
hosts:
${on.map((name, index) => host(name, index + 1)).join("\n")}
clusters:
  lab:
    on: [${on.join(", ")}]
    network: { cidr: 10.15.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: ${workers}, memory: 2GiB, address: .20, vmid: 3000 }
${more}`;

export const three = ["hydra", "lyra", "orion"];
export const fleet = fleetOf(file(three));
export const atHome = {
  "cp-1": "hydra",
  "cp-2": "lyra",
  "cp-3": "orion",
  "worker-1": "hydra",
  "worker-2": "lyra",
  "worker-3": "orion",
};
interface Moved {
  report: RunReport;
  events: EventBody[];
  planned?: PlannedMoves;
}

export async function move(
  site: RehearsalSite,
  verb: typeof evacuateHost,
  {
    wanted = fleet,
    name = "hydra",
    stop = new AbortController().signal,
    onEvent = (_event: EventBody): void => {},
    guarded = (client: LibvirtClient): LibvirtClient => client,
    isAgreed = true,
  }: {
    wanted?: Fleet;
    name?: string;
    stop?: AbortSignal;
    onEvent?: (event: EventBody) => void;
    /** What stands between the run and the daemons of libvirt. */
    guarded?: (client: LibvirtClient) => LibvirtClient;
    isAgreed?: boolean;
  } = {},
): Promise<Moved> {
  const events: EventBody[] = [];
  let planned: PlannedMoves | undefined;
  const world = site.rehearsal.world(stop, (event) => {
    events.push(event);
    onEvent(event);
  });
  const confirm = (shown: PlannedMoves) => {
    planned = shown;
    return Promise.resolve(isAgreed);
  };
  const openLibvirt: typeof world.openLibvirt = async (daemon) => guarded(await world.openLibvirt(daemon));
  const report = await verb({ fleet: wanted, host: name, confirm }, { ...world, openLibvirt });
  return { report, events, ...(planned && { planned }) };
}

export const stateOf = (site: RehearsalSite): ProxmoxState => site.rehearsal.datacenter.proxmox.state();

export function vmOf(site: RehearsalSite, vmid: number): ProxmoxState["vms"][string] {
  const found = stateOf(site).vms[String(vmid)];
  if (!found) throw new Error(`no machine ${vmid}`);
  return found;
}

export const snapshot = (site: RehearsalSite, vmid: number, name: string): void => {
  vmOf(site, vmid).snapshots[name] = { config: {}, disks: {}, takenAt: 0, description: "" };
};

export const places = (site: RehearsalSite): Record<string, string> =>
  Object.fromEntries(
    Object.values(stateOf(site).vms)
      .filter(({ config }) => config["description"] !== undefined)
      .map((vm) => [String(vm.config["name"]), vm.node]),
  );

export const tasks = (site: RehearsalSite, type = "qmigrate"): string[] =>
  stateOf(site)
    .tasks.filter((task) => task.type === type)
    .map(({ id, node }) => `${id} from ${node}`);
