/** Machines and images on Proxmox VE: how they are found, compared, made and removed, and what must be true before. */
import { realClock, type Clock, type Dial } from "../../lib/index.ts";
import { apartCheck, type AskHealthyNodes, type Provider } from "../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../spec/index.ts";
import { allocationQueue } from "./allocation-queue.ts";
import { proxmoxConsoles } from "./consoles.ts";
import { describeMachines, machineStep } from "./describe.ts";
import { proxmoxAccount, type AccountParts } from "./account.ts";
import { describeAccounts, describeLeavingAccounts } from "./describe-account.ts";
import { describeHa, describeLeavingHa } from "./describe-ha.ts";
import { describeRollback, describeSnapshots } from "./describe-snapshots.ts";
import { describeLeftovers } from "./describe-leftovers.ts";
import { isoDetached } from "./detach-iso.ts";
import { examineMachines } from "./examine.ts";
import { hostBook, type Connect } from "./host-book.ts";
import { proxmoxHa } from "./ha.ts";
import { hindrances } from "./hindrances.ts";
import { proxmoxImage } from "./image.ts";
import { demandKeptFit } from "./kept-fit.ts";
import { factorySchematic, type OpenFactory } from "./image-schematic.ts";
import { proxmoxMachine } from "./machine.ts";
import { describeOldTemplates, originImage } from "./origin/index.ts";
import { demandRights, imageChecks, preflightChecks } from "./preflight/index.ts";
import { remains } from "./remains.ts";
import { proxmoxRollback } from "./rollback.ts";
import { proxmoxNotes } from "./run-notes.ts";
import { snapshotHindrances } from "./snapshot-hindrances.ts";
import { listSnapshots, proxmoxSnapshot } from "./snapshot.ts";
import { proxmoxShelf } from "./shelf-resource.ts";
import { surveyHosts } from "./survey.ts";
import { surveyMemory } from "./survey-memory.ts";
import { proxmoxTemplate } from "./template.ts";

export interface ProxmoxProviderOptions {
  /** Opens the server of a host. Called often, so it should keep what it has opened. */
  connect: Connect;
  /** Where accounts of clusters are kept, and how they are tried. Left out: none are made. */
  accounts?: AccountParts["store"];
  connectAs?: AccountParts["connectAs"];
  /** The public key that Slipway logs in with on machines from cloud images. Left out: it cannot. */
  loginKey?: (cluster: string) => Promise<string>;
  /** Version of Slipway, written into the mark of every machine. */
  slipway?: string;
  /** The time others agree on. Left out: this computer's. */
  wall?: Pick<Clock, "now">;
  /** How the addresses of a cluster are reached. Left out: nobody listens whether they are in use. */
  dialFor?: (cluster: string) => Dial;
  /** Which nodes of a cluster do their work, asked around a restart. Left out: nobody asks. */
  healthyNodes?: (cluster: Cluster) => Promise<Set<string>>;
  /** Opens an image factory. Left out: nothing is registered there, and nobody asks it. */
  openFactory?: OpenFactory;
}

export function proxmoxProvider(options: ProxmoxProviderOptions): Provider<ProxmoxHost> {
  const book = hostBook(options.connect);
  const memory = surveyMemory();
  const shelves = new Set<string>();
  const spoken = new Set<number>();
  const described = new Map<string, Cluster>();
  const { openFactory, slipway = "", accounts, connectAs } = options;
  const hasAccounts = accounts !== undefined && connectAs !== undefined;
  const withAccount = new Set<string>();
  const askHealthyNodes: AskHealthyNodes = async (name) => {
    const cluster = described.get(name);
    if (!cluster || !options.healthyNodes) return undefined;
    const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
    return {
      controlPlanes: controlPlanes.map((node) => node.name),
      healthy: await options.healthyNodes(cluster),
    };
  };
  const machine = proxmoxMachine({
    book,
    memory,
    queue: allocationQueue(),
    shelves,
    spoken,
    slipway,
    askHealthyNodes,
    ...(options.loginKey && { loginKey: options.loginKey }),
  });
  return {
    resources: [
      proxmoxImage(book),
      machine,
      proxmoxHa(book),
      proxmoxSnapshot(book),
      proxmoxRollback(book),
      ...(accounts && connectAs ? [proxmoxAccount({ book, store: accounts, connectAs })] : []),
      proxmoxTemplate(book, slipway),
      isoDetached({ book, memory, machine }),
      proxmoxShelf({ book, slipway, spoken }),
      ...(openFactory ? [factorySchematic(book, openFactory)] : []),
    ],

    async survey(ctx, hosts) {
      book.add(hosts);
      const survey = await surveyHosts(ctx, book, memory, hosts);
      for (const shelf of survey.shelves) shelves.add(shelf.cluster);
      for (const cluster of (await accounts?.clusters()) ?? []) withAccount.add(cluster);
      return survey;
    },

    describe(cluster, placed, needs) {
      described.set(cluster.name, cluster);
      book.add(placed.map(({ host }) => host));
      for (const { vmid } of placed) spoken.add(vmid);
      demandKeptFit(cluster, placed, needs.survey);
      const canRegister = openFactory !== undefined;
      return [
        ...describeMachines(cluster, placed, { needs, canRegister, hostNamed: book.host }),
        ...describeHa(cluster, placed, needs.survey),
        ...(hasAccounts
          ? describeAccounts(cluster, cluster.on.map(book.host), needs.survey, withAccount.has(cluster.name))
          : []),
      ];
    },

    describeLeftovers(survey, isUnwanted, keepImages, fate) {
      const ha = describeLeavingHa(survey, book.all(), fate);
      const accountsToo = hasAccounts ? describeLeavingAccounts(survey, book.all(), fate) : [];
      // While Proxmox keeps a machine running, it starts again what was stopped to be removed.
      const before = ha.map((node) => node.id);
      const rest = describeLeftovers(survey, isUnwanted, keepImages, fate);
      return [...ha, ...accountsToo, ...rest.map((node) => ({ ...node, after: [...node.after, ...before] }))];
    },
    describeOldTemplates,
    describeSnapshots,
    describeRollback,
    demandRights: (ctx, machines, what) => demandRights(ctx, book, machines, what),
    snapshotHindrances: (ctx, machines) => snapshotHindrances(ctx, book, machines),
    listSnapshots: (ctx, machines) => listSnapshots(ctx, book, machines),
    hindrances: (ctx, machines) => hindrances(ctx, book, machines),
    examine: (ctx, machines, survey) =>
      examineMachines({ ctx, book, survey, wall: options.wall ?? realClock }, machines),
    remains: (ctx, hosts, removed) => remains(ctx, book, hosts, removed),
    imagesOf: (wanted) => [...new Set(wanted.flatMap((cluster) => originImage(cluster)?.fileName ?? []))],

    preflight(cluster, placed, survey, all = new Map([[cluster.name, placed]])) {
      book.add(placed.map(({ host }) => host));
      const wanted = { cluster, placed, survey, all };
      return [
        ...preflightChecks(book, wanted, { wall: realClock, memory, ...options }),
        ...apartCheck("proxmox-apart", placed),
        ...imageChecks({ cluster, placed, survey, ...(openFactory && { openFactory }) }),
      ];
    },

    machineStep,
    consoles: proxmoxConsoles(book),
    notes: proxmoxNotes(options.connect),
  };
}

export { lookForAddress } from "./guest-address.ts";
export { groupByServer } from "./host-book.ts";
export {
  checkedRights,
  grantCommands,
  rolesOf,
  type NeededRole,
  type ProxmoxLine,
} from "./preflight/index.ts";
