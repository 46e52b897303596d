import type {
  Capabilities,
  Consoles,
  Graph,
  Moves,
  RemovalBlocker,
  MachinePlace,
  OwnedMachine,
  Outline,
  OwnSurvey,
  PlacedNode,
  Provider,
  ProviderFamily,
  RunNotes,
  Survey,
} from "../../plan/index.ts";
import type { Host } from "../../spec/index.ts";
import { noArchivesHere } from "./machine-backups/errors.ts";

type Kind = Host["provider"];

/** Every capability is there, and answers for hosts that lack it. */
export type FleetSession = Provider &
  Omit<Capabilities, "moves"> &
  Required<Pick<Provider, "consoles" | "notes" | "outline">> & {
    keepsNotes(host: Host): boolean;
    /** Whether Terraform can be told of the machines of this host. */
    knowsTerraform(host: string): boolean;
    /** Absent: machines of this host stay where they are. */
    movesOf(host: Host): Moves | undefined;
    /** What the host of this machine can do with its console, where it has one. */
    consolesOf(machine: MachinePlace): Consoles | undefined;
  };

/**
 * One session for a fleet whose hosts are of several kinds: each part goes to the family that knows its host. A host that
 * is not among `hosts` is a mistake of ours.
 */
export function fleetProvider(families: ProviderFamily[], hosts: readonly Host[]): FleetSession {
  const all = families.map(({ kind, open }): [Kind, Provider] => [
    kind,
    open(hosts.filter((host) => host.provider === kind)),
  ]);
  const sessions = new Map(all);
  const kinds = new Map(hosts.map((host) => [host.name, host.provider]));
  const kindOf = (host: string): Kind => {
    const kind = kinds.get(host);
    if (!kind) throw new Error(`no provider was opened for host "${host}"`);
    return kind;
  };
  const isOf = (kind: Kind, host: string): boolean => kindOf(host) === kind;
  const sessionOf = (host: string): Provider => {
    const session = sessions.get(kindOf(host));
    if (!session) throw new Error(`no provider for host "${host}"`);
    return session;
  };
  const consolesOf = ({ host }: MachinePlace): Consoles => {
    const { consoles } = sessionOf(host);
    if (!consoles) throw new Error(`no machine of host "${host}" has a console`);
    return consoles;
  };
  const notesOf = ({ name }: Host): RunNotes => {
    const { notes } = sessionOf(name);
    if (!notes) throw new Error(`nothing can be noted on host "${name}"`);
    return notes;
  };
  const machinesOf = (kind: Kind, machines: OwnedMachine[]) =>
    machines.filter((machine) => isOf(kind, machine.host));
  const placedOf = (kind: Kind, placed: PlacedNode[]) => placed.filter(({ host }) => host.provider === kind);
  const surveyOf = (kind: Kind, survey: Survey): Survey => partOf(survey, (host) => isOf(kind, host));
  const perKind = <T>(ask: (provider: Provider, kind: Kind) => T[]): T[] =>
    all.flatMap(([kind, provider]) => ask(provider, kind));
  const perKindLater = async <T>(ask: (provider: Provider, kind: Kind) => Promise<T[]>): Promise<T[]> =>
    (await Promise.all(all.map(([kind, provider]) => ask(provider, kind)))).flat();

  return {
    resources: perKind((provider) => provider.resources),
    async survey(ctx, some) {
      const parts = all.map(([kind, provider]) =>
        provider.survey(
          ctx,
          some.filter((host) => host.provider === kind),
        ),
      );
      return joined(await Promise.all(parts));
    },
    async outline(ctx, some) {
      const parts = all.map(async ([kind, provider]) => {
        const here = some.filter((host) => host.provider === kind);
        return (await provider.outline?.(ctx, here)) ?? outlineOf(await provider.survey(ctx, here));
      });
      const found = await Promise.all(parts);
      return {
        machines: found.flatMap(({ machines }) => machines),
        unreachable: found.flatMap(({ unreachable }) => unreachable),
      };
    },
    describe: (cluster, placed, needs) =>
      perKind((provider, kind) => {
        const here = placedOf(kind, placed);
        if (here.length === 0) return [];
        const own = { survey: surveyOf(kind, needs.survey), all: placedOf(kind, needs.all) };
        return provider.describe(cluster, here, { ...needs, ...own });
      }),
    describeLeftovers: (survey, isUnwanted, keepImages, removalScope, planned) =>
      perKind((provider, kind) =>
        provider.describeLeftovers(surveyOf(kind, survey), isUnwanted, keepImages, removalScope, planned),
      ),
    usage: (ctx, machines) =>
      perKindLater(async (provider, kind) => provider.usage?.(ctx, machinesOf(kind, machines)) ?? []),
    knowsTerraform: (host) => sessionOf(host).terraform !== undefined,
    terraform: (ctx, machines) =>
      perKindLater(async (provider, kind) => provider.terraform?.(ctx, machinesOf(kind, machines)) ?? []),
    removalBlockers: (ctx, machines) =>
      perKindLater(
        async (provider, kind) => provider.removalBlockers?.(ctx, machinesOf(kind, machines)) ?? [],
      ),
    inspect: (ctx, machines, survey) =>
      perKindLater((provider, kind) =>
        provider.inspect(ctx, machinesOf(kind, machines), surveyOf(kind, survey)),
      ),
    findLeftovers: (ctx, some, removed) =>
      perKindLater((provider, kind) =>
        provider.findLeftovers(
          ctx,
          some.filter((host) => host.provider === kind),
          removed.filter(({ host }) => host !== undefined && isOf(kind, host)),
        ),
      ),
    machineIds(survey, clusters) {
      const ids = new Map(
        all.map(([kind, provider]) => [kind, provider.machineIds?.(surveyOf(kind, survey), clusters)]),
      );
      return {
        forNode: (node, host) => ids.get(host.provider)?.forNode(node, host),
        forShared(thing, host, from) {
          const known = ids.get(host.provider);
          if (!known) throw new Error(`nothing on host "${host.name}" has a number`);
          return known.forShared(thing, host, from);
        },
      };
    },
    describeOldBootSources: (ctx, survey, { hosts: some, clusters }, leftovers) =>
      perKind((provider, kind): Graph => {
        const staying = { hosts: some.filter((host) => host.provider === kind), clusters };
        return provider.describeOldBootSources?.(ctx, surveyOf(kind, survey), staying, leftovers) ?? [];
      }),
    snapshots: {
      describe: (machines, snapshot) =>
        perKind(({ snapshots }, kind) => snapshots?.describe(machinesOf(kind, machines), snapshot) ?? []),
      describeRollback: (machines, snapshot) =>
        perKind(
          ({ snapshots }, kind) => snapshots?.describeRollback(machinesOf(kind, machines), snapshot) ?? [],
        ),
      blockers: (ctx, machines) =>
        perKindLater(async ({ snapshots }, kind) => {
          const here = machinesOf(kind, machines);
          return snapshots
            ? snapshots.blockers(ctx, here)
            : here.map((machine) => withoutSnapshots(machine, kind));
        }),
      list: (ctx, machines) =>
        perKindLater(async ({ snapshots }, kind) => snapshots?.list(ctx, machinesOf(kind, machines)) ?? []),
    },
    machineBackups: {
      describe: (machines, to) =>
        perKind(({ machineBackups }, kind) => machineBackups?.describe(machinesOf(kind, machines), to) ?? []),
      blockers: (ctx, machines, storage) =>
        perKindLater(async ({ machineBackups }, kind) => {
          const here = machinesOf(kind, machines);
          return machineBackups
            ? machineBackups.blockers(ctx, here, storage)
            : here.map((machine) => withoutBackups(machine, kind));
        }),
      list: (ctx, nodes) =>
        perKindLater(async ({ machineBackups }, kind) => {
          const here = nodes.filter((node) => node.hosts.some((host) => isOf(kind, host)));
          return machineBackups?.list(ctx, here) ?? [];
        }),
      find: async (ctx, wanted, archive) => {
        const able = wanted.hosts.map(sessionOf).find(({ machineBackups }) => machineBackups);
        if (able?.machineBackups) return able.machineBackups.find(ctx, wanted, archive);
        const kind = wanted.hosts.map(kindOf)[0] ?? "unknown";
        throw noArchivesHere({ label: `${wanted.cluster}/${wanted.node}`, kind });
      },
    },
    accounts: {
      among: (graph) => perKind(({ accounts }) => accounts?.among(graph) ?? []),
      rotated: (graph) => perKind(({ accounts }) => accounts?.rotated(graph) ?? []),
    },
    demandRights: async (ctx, machines, what, storage) => {
      await Promise.all(
        all.map(async ([kind, provider]) =>
          provider.demandRights?.(ctx, machinesOf(kind, machines), what, storage),
        ),
      );
    },
    imagesOf: (clusters) => [...new Set(perKind((provider) => provider.imagesOf(clusters)))],
    preflight: (cluster, placed, survey, wanted) =>
      perKind((provider, kind) => {
        const here = placedOf(kind, placed);
        const others = wanted && new Map([...wanted].map(([name, each]) => [name, placedOf(kind, each)]));
        return here.length === 0 ? [] : provider.preflight(cluster, here, surveyOf(kind, survey), others);
      }),
    consolesOf: ({ host }) => sessionOf(host).consoles,
    consoles: {
      listen: (ctx, machine, listener) => consolesOf(machine).listen(ctx, machine, listener),
      reset: (ctx, machine) => consolesOf(machine).reset(ctx, machine),
      startAsNew: async (ctx, machine) => {
        const { startAsNew } = consolesOf(machine);
        if (!startAsNew) throw new Error(`${machine.node} was given its host keys`);
        await startAsNew(ctx, machine);
      },
    },
    movesOf: ({ name }) => sessionOf(name).moves,
    keepsNotes: ({ name }) => sessionOf(name).notes !== undefined,
    notes: {
      read: (ctx, host, cluster) => notesOf(host).read(ctx, host, cluster),
      create: (ctx, host, cluster, text) => notesOf(host).create(ctx, host, cluster, text),
      renew: (ctx, host, cluster, text, version) => notesOf(host).renew(ctx, host, cluster, text, version),
      takeOver: (ctx, host, cluster, text, version) =>
        notesOf(host).takeOver(ctx, host, cluster, text, version),
      remove: (ctx, host, cluster, version) => notesOf(host).remove(ctx, host, cluster, version),
    },
  };
}

const withoutSnapshots = (machine: OwnedMachine, kind: Kind): RemovalBlocker => ({
  machine,
  why: `${machine.node} is a machine of ${kind}, and those have no snapshots in this version`,
  next: "Leave this host's nodes out, or back up what matters from inside the cluster",
});

const withoutBackups = (machine: OwnedMachine, kind: Kind): RemovalBlocker => ({
  machine,
  why: `${machine.node} is a machine of ${kind}, and Slipway backs up whole machines on Proxmox only`,
  next: "Leave this host's nodes out, or back up what matters from inside the cluster",
});

/** What a survey says of some of its hosts. */
const partOf = (survey: Survey, isHere: (host: string) => boolean): Survey => {
  const here = <T extends { host: string }>(list: T[]): T[] => list.filter(({ host }) => isHere(host));
  return {
    machines: here(survey.machines),
    images: here(survey.images),
    keptDisks: here(survey.keptDisks),
    keptDisksHolders: here(survey.keptDisksHolders),
    unreachable: here(survey.unreachable),
    hosts: here(survey.hosts),
    own: survey.own,
  };
};

const outlineOf = ({ machines, unreachable }: Survey): Outline => ({
  unreachable,
  machines: machines.map(({ cluster, node, host, on, isRunning, cores, memoryMiB, dataDisksGiB }) => ({
    cluster,
    host,
    line: [node, on, isRunning, cores, memoryMiB, ...dataDisksGiB].join(" "),
  })),
});

const joined = (parts: Survey[]): Survey => ({
  machines: parts.flatMap((part) => part.machines),
  images: parts.flatMap((part) => part.images),
  keptDisks: parts.flatMap((part) => part.keptDisks),
  keptDisksHolders: parts.flatMap((part) => part.keptDisksHolders),
  unreachable: parts.flatMap((part) => part.unreachable),
  away: parts.flatMap((part) => part.away ?? []),
  places: parts.flatMap((part) => part.places ?? []),
  emptied: parts.flatMap((part) => part.emptied ?? []),
  hosts: parts.flatMap((part) => part.hosts),
  own: Object.assign({}, ...parts.map((part) => part.own ?? {})) as OwnSurvey,
});
