import type { Check, OwnedMachine, ReadContext, RightsFor, Wanted } from "../../../../plan/index.ts";
import type { ProxmoxHost } from "../../../../spec/index.ts";
import type { HostRegistry } from "../../host-registry.ts";
import { rightsMissing } from "../errors.ts";
import { vmidOf } from "../../machine/machine-want.ts";
import { grantCommands, holderOf } from "./grant-commands.ts";
import { hostCheck, type HostView } from "../host-view.ts";
import { machineRights, storageNeed, type NeededRole } from "./rights.ts";

type NeedsOf = (machine: OwnedMachine, host: ProxmoxHost, storage: string) => NeededRole[];

/** Rights for what is done to machines by commands of their own, outside any run that makes or changes some. */
const needsFor: Record<RightsFor, NeedsOf> = {
  snapshots: (machine, host) => [onMachine(machine, host, ["VM.Snapshot"])],
  rollback: (machine, host) => [onMachine(machine, host, ["VM.Snapshot", "VM.PowerMgmt"])],
  backups: (machine, host, storage) => [
    onMachine(machine, host, ["VM.Backup"]),
    storageNeed("SlipwayBackups", storage, ["Datastore.AllocateSpace"]),
  ],
  moves: (machine, host) => [
    onMachine(machine, host, ["VM.Migrate"]),
    // Its manager is watched while it moves the machine.
    ...(machine.isHaManaged ? [onCluster("Sys.Audit")] : []),
  ],
  removal: (machine, host) => [
    onMachine(machine, host, [
      "VM.Allocate",
      ...(machine.isRunning ? ["VM.PowerMgmt"] : []),
      ...(machine.isProtected ? ["VM.Config.Options"] : []),
    ]),
    ...(machine.keptDisks.length > 0 ? keeping(machine, host) : []),
    ...(machine.isHaManaged ? [onCluster("Sys.Console")] : []),
  ],
};

const onCluster = (right: string): NeededRole => ({
  role: "SlipwayCluster",
  path: "/",
  grantAt: "/",
  rights: [right],
  isLocal: true,
});

const onMachine = (machine: OwnedMachine, { proxmox }: ProxmoxHost, rights: string[]): NeededRole => ({
  role: "SlipwayMachines",
  path: `/vms/${vmidOf(machine)}`,
  grantAt: proxmox.pool === undefined ? "/vms" : `/pool/${proxmox.pool}`,
  rights,
  // A role that is made for one right alone would take the place of all that a role on `/` gives.
  later: machineRights,
});

/** Disks that stay go to a machine that is made for them, by a change of both. */
const keeping = (machine: OwnedMachine, host: ProxmoxHost): NeededRole[] => [
  onMachine(machine, host, [
    "VM.Config.CPU",
    "VM.Config.Disk",
    "VM.Config.HWType",
    "VM.Config.Memory",
    "VM.Config.Options",
  ]),
  ...[...new Set(machine.keptDisks.map((disk) => disk.volume.split(":")[0] ?? ""))].map((storage) =>
    storageNeed("SlipwayDisks", storage, ["Datastore.AllocateSpace"]),
  ),
];

/** Refuses before anything is touched when the token may not do this to one of the machines. */
export async function demandRights(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
  what: RightsFor,
  storage = "",
): Promise<void> {
  for (const name of new Set(machines.map((machine) => machine.host))) {
    const host = registry.host(name);
    const client = await registry.client(name);
    const needs = machines
      .filter((machine) => machine.host === name)
      .flatMap((machine) => needsFor[what](machine, host, storage));
    const paths = [...new Set(needs.map((need) => need.path))];
    const given = new Map(
      await Promise.all(
        paths.map(async (path) => [path, (await client.permissions(path, ctx.signal)).get(path)] as const),
      ),
    );
    const lacking = needs.map((need) => ({
      ...need,
      rights: need.rights.filter((right) => !given.get(need.path)?.has(right)),
    }));
    const missing = eachOnce(lacking.filter((need) => need.rights.length > 0));
    if (missing.length === 0) continue;
    throw rightsMissing({
      host,
      missing: missing.map(({ grantAt, rights }) => `${rights.join(", ")} on ${grantAt}`).join("; "),
      commands: grantCommands(missing, holderOf(client.tokenId), await client.roles(ctx.signal)),
    });
  }
}

/** Machines that leave a cluster may stand on a host that gets no other. */
export function leftoversCheck(
  registry: HostRegistry,
  { cluster, placed, survey }: Wanted<ProxmoxHost>,
  viewOf: (host: ProxmoxHost) => HostView,
): Check[] {
  const names = new Set(placed.map(({ node }) => node.name));
  const isLeftover = (machine: OwnedMachine): boolean =>
    machine.cluster === cluster.name && !names.has(machine.node);
  const leftovers = survey.machines.filter(isLeftover);
  return [...new Set(leftovers.map((machine) => machine.host))].map((name) => {
    return hostCheck(
      viewOf(registry.host(name)),
      "proxmox-removal",
      ["Machines may be removed", "Token may not remove machines"],
      async (ctx) => {
        const machines = leftovers.filter((machine) => machine.host === name);
        await demandRights(ctx, registry, machines, "removal");
        return { status: "ok", needed: machines.map((machine) => machine.node).join(", ") };
      },
    );
  });
}

/** Several machines lack the same, mostly. */
function eachOnce(needs: NeededRole[]): NeededRole[] {
  const places = new Map<string, NeededRole>();
  for (const need of needs) {
    const key = `${need.grantAt} ${need.role}`;
    const known = places.get(key)?.rights ?? [];
    places.set(key, { ...need, rights: [...new Set([...known, ...need.rights])] });
  }
  return [...places.values()];
}
