import { realClock, type Clock, type Dial } from "../../lib/index.ts";
import {
  antiAffinityCheck,
  type RollingGates,
  type Capabilities,
  type PlacedNode,
  type Provider,
  type ProviderFamily,
  type Snapshots,
  type Survey,
} from "../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../spec/index.ts";
import { allocationQueue } from "./disks/allocation-queue.ts";
import { proxmoxConsoles } from "./consoles.ts";
import { describeMachines } from "./machine/describe-machines.ts";
import { proxmoxAccount, type AccountParts } from "./account/account.ts";
import {
  accountsAmong,
  describeAccounts,
  describeLeftoverAccounts,
  rotatedAccounts,
} from "./account/describe-account.ts";
import { describeHa, describeLeftoverHa } from "./ha/describe-ha.ts";
import { backupsIn } from "./backup/describe-backups.ts";
import { proxmoxBackup } from "./backup/machine-backup.ts";
import { proxmoxMoves } from "./move/moves.ts";
import { proxmoxMove } from "./move/move.ts";
import { describeRollback, describeSnapshots } from "./snapshot/describe-snapshots.ts";
import { describeLeftovers, findLeftovers } from "./leftovers.ts";
import { isoDetached } from "./image/detach-iso.ts";
import { inspectMachines } from "./survey/inspect-machines.ts";
import { measureUsage } from "./survey/measure-usage.ts";
import { hostRegistry, type Connect, type HostRegistry } from "./host-registry.ts";
import { proxmoxHa } from "./ha/ha.ts";
import { removalBlockers } from "./machine/remove-machine.ts";
import { proxmoxImage } from "./image/image.ts";
import { demandKeptFit } from "../common/index.ts";
import { keptDiskElsewhere, keptDiskLarger } from "./errors.ts";
import { factorySchematic, type OpenFactory } from "./image/image-schematic.ts";
import { justMade } from "./machine/just-made.ts";
import { proxmoxMachine } from "./machine/machine.ts";
import { describeOldTemplates } from "./template/old-templates.ts";
import { bootSourceImage } from "./image/describe-images.ts";
import { demandRights, imageChecks, preflightChecks, serverReads } from "./preflight/index.ts";
import { proxmoxRollback } from "./snapshot/rollback.ts";
import { proxmoxNotes } from "./run-notes.ts";
import { snapshotBlockers } from "./snapshot/snapshot-blockers.ts";
import { listSnapshots, proxmoxSnapshot } from "./snapshot/snapshot.ts";
import { proxmoxKeptDisks } from "./disks/kept-disks.ts";
import { outlineHosts } from "./survey/outline.ts";
import { surveyHosts } from "./survey/survey.ts";
import { describeTerraform } from "./terraform/describe-terraform.ts";
import { seenIn } from "./survey/own-survey.ts";
import { VmidLedger } from "./vmids.ts";
import { proxmoxTemplate } from "./template/template.ts";

export interface ProxmoxProviderOptions {
  /** Opens the server of a host. Called often, so it should keep what it has opened. */
  connect: Connect;
  /** Where accounts of clusters are kept, and how they are tried. Left out: none are made. */
  accounts?: AccountParts["store"];
  connectAs?: AccountParts["connectAs"];
  /** The public key that Slipway logs in with on a machine from a cloud image, asked before it is made. Left out: it cannot. */
  loginKey?: (cluster: string, node: string) => Promise<string>;
  /** Version of Slipway, written into the mark of every machine. */
  slipway?: string;
  /** The time others agree on. Left out: this computer's. */
  wall?: Pick<Clock, "now">;
  /** How the addresses of a cluster are reached. Left out: they are not probed for being in use. */
  dialFor?: (cluster: string) => Dial;
  /** Which nodes of a cluster do their work, asked around a restart. Left out: not asked. */
  gates?: RollingGates;
  /** Opens an image factory. Left out: nothing is registered there, and it is not asked. */
  openFactory?: OpenFactory;
}

/** All that a hypervisor may be asked for; accounts where there is a place to keep them. */
export type ProxmoxSession = Provider<ProxmoxHost> & Omit<Capabilities<ProxmoxHost>, "accounts">;

/** Proxmox VE as a provider. */
export const proxmoxProvider = (options: ProxmoxProviderOptions) =>
  ({
    kind: "proxmox",
    open: (hosts: readonly ProxmoxHost[]) => openProxmox(hosts, options),
  }) satisfies ProviderFamily<ProxmoxHost>;

function openProxmox(hosts: readonly ProxmoxHost[], options: ProxmoxProviderOptions): ProxmoxSession {
  const registry = hostRegistry(hosts, options.connect);
  const made = justMade();
  const { openFactory, slipway = "", accounts, connectAs, gates, loginKey } = options;
  const ownHosts = (names: string[]) => names.filter(registry.knows).map(registry.host);
  const hasAccounts = accounts !== undefined && connectAs !== undefined;
  const machine = proxmoxMachine({ registry, made, queue: allocationQueue(), slipway, gates, loginKey });
  return {
    resources: [
      proxmoxImage(registry),
      machine,
      proxmoxHa(registry),
      proxmoxSnapshot(registry),
      proxmoxBackup(registry),
      proxmoxRollback(registry),
      proxmoxMove(registry, gates),
      ...(accounts && connectAs ? [proxmoxAccount({ registry, store: accounts, connectAs })] : []),
      proxmoxTemplate(registry, slipway),
      isoDetached({ registry, machine }),
      proxmoxKeptDisks({ registry, slipway }),
      ...(openFactory ? [factorySchematic(registry, openFactory)] : []),
    ],

    outline: (ctx, some) => outlineHosts(ctx, registry, some),
    survey: async (ctx, some) => surveyHosts(ctx, registry, some, (await accounts?.clusters()) ?? []),

    describe(cluster, placed, needs) {
      const { survey } = needs;
      demandKeptFit(cluster, withoutMachine(cluster, placed, survey), survey, refusals);
      const canRegister = openFactory !== undefined;
      const hasFile = seenIn(survey.own)?.accounts.includes(cluster.name) ?? false;
      return [
        ...describeMachines(cluster, placed, { needs, canRegister, hostNamed: registry.host }),
        ...describeHa(cluster, placed, survey),
        ...(hasAccounts ? describeAccounts(cluster, ownHosts(cluster.on), survey, hasFile) : []),
      ];
    },

    describeLeftovers(survey, isUnwanted, keepImages, removalScope, planned) {
      const asked = survey.hosts.map(({ host }) => registry.host(host));
      const ha = describeLeftoverHa(survey, asked, removalScope);
      const accountsToo = hasAccounts ? describeLeftoverAccounts(survey, asked, removalScope) : [];
      // While Proxmox keeps a machine running, it starts again what was stopped to be removed.
      const before = ha.map((node) => node.id);
      const rest = describeLeftovers(survey, isUnwanted, keepImages, removalScope, planned);
      return [...ha, ...accountsToo, ...rest.map((node) => ({ ...node, after: [...node.after, ...before] }))];
    },
    describeOldBootSources: describeOldTemplates,
    machineIds: (survey, clusters) => new VmidLedger(survey, clusters),
    snapshots: snapshotsIn(registry),
    usage: (ctx, machines) => measureUsage(ctx, registry, machines),
    machineBackups: backupsIn(registry),
    terraform: (ctx, machines) => describeTerraform(ctx, registry, machines),
    moves: proxmoxMoves(registry),
    ...(hasAccounts && { accounts: { among: accountsAmong, rotated: rotatedAccounts } }),
    demandRights: (ctx, machines, what, storage) => demandRights(ctx, registry, machines, what, storage),
    removalBlockers: (ctx, machines) => removalBlockers(ctx, registry, machines),
    inspect: (ctx, machines, survey) =>
      inspectMachines({ ctx, registry, survey, wall: options.wall ?? realClock }, machines),
    findLeftovers: (ctx, some, removed) => findLeftovers(ctx, registry, some, removed),
    imagesOf: (wanted) => [...new Set(wanted.flatMap((cluster) => bootSourceImage(cluster)?.fileName ?? []))],

    preflight(cluster, placed, survey, all = new Map([[cluster.name, placed]])) {
      const wanted = { cluster, placed, survey, all };
      return [
        ...preflightChecks(registry, wanted, { wall: realClock, reads: serverReads(), ...options }),
        ...antiAffinityCheck("proxmox-apart", placed),
        ...imageChecks({ cluster, placed, survey, openFactory }),
      ];
    },

    consoles: proxmoxConsoles(registry, made, options.connect),
    notes: proxmoxNotes(options.connect),
  };
}

const snapshotsIn = (registry: HostRegistry): Snapshots => ({
  describe: describeSnapshots,
  describeRollback,
  blockers: (ctx, machines) => snapshotBlockers(ctx, registry, machines),
  list: (ctx, machines) => listSnapshots(ctx, registry, machines),
});

const refusals = { keptDiskElsewhere, keptDiskLarger };

const withoutMachine = (cluster: Cluster, placed: PlacedNode[], { machines }: Survey): PlacedNode[] =>
  placed.filter(
    ({ node }) => !machines.some((each) => each.cluster === cluster.name && each.node === node.name),
  );
