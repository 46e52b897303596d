import type {
  Consoles,
  Graph,
  MachinePlace,
  OwnedMachine,
  PlacedNode,
  Provider,
  Survey,
} from "../plan/index.ts";
import type { Host } from "../spec/index.ts";

type Kind = Host["provider"];

/** One provider for a fleet whose hosts are of several kinds: each part goes to the one that knows its host. */
export function fleetProvider(families: Record<Kind, Provider>): Provider {
  const all = Object.entries(families) as [Kind, Provider][];
  const kindOf = new Map<string, Kind>();
  const learn = (hosts: Host[]): void => {
    for (const host of hosts) kindOf.set(host.name, host.provider);
  };
  const isOf = (kind: Kind, host: string): boolean => (kindOf.get(host) ?? "proxmox") === kind;
  const consolesOf = ({ host }: MachinePlace): Consoles => families[kindOf.get(host) ?? "proxmox"].consoles;
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
    async survey(ctx, hosts) {
      learn(hosts);
      const parts = await Promise.all(
        all.map(([kind, provider]) =>
          provider.survey(
            ctx,
            hosts.filter((host) => host.provider === kind),
          ),
        ),
      );
      return joined(parts);
    },
    describe(cluster, placed, needs) {
      learn(placed.map(({ host }) => host));
      return perKind((provider, kind) => {
        const here = placedOf(kind, placed);
        return here.length === 0 ? [] : provider.describe(cluster, here, needs);
      });
    },
    describeLeftovers: (survey, isUnwanted, keepImages, fate) =>
      perKind((provider, kind) =>
        provider.describeLeftovers(surveyOf(kind, survey), isUnwanted, keepImages, fate),
      ),
    hindrances: (ctx, machines) =>
      perKindLater((provider, kind) => provider.hindrances(ctx, machinesOf(kind, machines))),
    examine: (ctx, machines, survey) =>
      perKindLater((provider, kind) =>
        provider.examine(ctx, machinesOf(kind, machines), surveyOf(kind, survey)),
      ),
    remains: (ctx, hosts, removed) =>
      perKindLater((provider, kind) =>
        provider.remains(
          ctx,
          hosts.filter((host) => host.provider === kind),
          removed.filter(({ host }) => isOf(kind, host)),
        ),
      ),
    describeOldTemplates: (ctx, survey, { hosts, clusters }, leaving) =>
      perKind((provider, kind): Graph => {
        const staying = { hosts: hosts.filter((host) => host.provider === kind), clusters };
        return provider.describeOldTemplates(ctx, surveyOf(kind, survey), staying, leaving);
      }),
    describeSnapshots: (machines, snapshot) =>
      perKind((provider, kind) => provider.describeSnapshots(machinesOf(kind, machines), snapshot)),
    describeRollback: (machines, snapshot) =>
      perKind((provider, kind) => provider.describeRollback(machinesOf(kind, machines), snapshot)),
    demandRights: async (ctx, machines, what) => {
      await perKindLater(async (provider, kind) => {
        await provider.demandRights(ctx, machinesOf(kind, machines), what);
        return [];
      });
    },
    snapshotHindrances: (ctx, machines) =>
      perKindLater((provider, kind) => provider.snapshotHindrances(ctx, machinesOf(kind, machines))),
    listSnapshots: (ctx, machines) =>
      perKindLater((provider, kind) => provider.listSnapshots(ctx, machinesOf(kind, machines))),
    imagesOf: (clusters) => [...new Set(perKind((provider) => provider.imagesOf(clusters)))],
    preflight: (cluster, placed, survey, wanted) =>
      perKind((provider, kind) => {
        const here = placedOf(kind, placed);
        const others = wanted && new Map([...wanted].map(([name, each]) => [name, placedOf(kind, each)]));
        return here.length === 0 ? [] : provider.preflight(cluster, here, surveyOf(kind, survey), others);
      }),
    machineStep: families.proxmox.machineStep,
    consoles: {
      listen: (ctx, machine, listener) => consolesOf(machine).listen(ctx, machine, listener),
      reset: (ctx, machine) => consolesOf(machine).reset(ctx, machine),
    },
    notes: {
      read: (ctx, host, cluster) => families[host.provider].notes.read(ctx, host, cluster),
      create: (ctx, host, cluster, text) => families[host.provider].notes.create(ctx, host, cluster, text),
      renew: (ctx, host, cluster, text, version) =>
        families[host.provider].notes.renew(ctx, host, cluster, text, version),
      takeOver: (ctx, host, cluster, text, version) =>
        families[host.provider].notes.takeOver(ctx, host, cluster, text, version),
      remove: (ctx, host, cluster, version) =>
        families[host.provider].notes.remove(ctx, host, cluster, version),
    },
  };
}

/** What a survey says of some of its hosts. */
const partOf = (survey: Survey, isHere: (host: string) => boolean): Survey => {
  const here = <T extends { host: string }>(list: T[]): T[] => list.filter(({ host }) => isHere(host));
  return {
    machines: here(survey.machines),
    images: here(survey.images),
    templates: here(survey.templates),
    keptDisks: here(survey.keptDisks),
    shelves: here(survey.shelves),
    silent: here(survey.silent),
    takenVmids: new Map([...survey.takenVmids].filter(([host]) => isHere(host))),
    hosts: here(survey.hosts),
  };
};

const joined = (parts: Survey[]): Survey => ({
  machines: parts.flatMap((part) => part.machines),
  images: parts.flatMap((part) => part.images),
  templates: parts.flatMap((part) => part.templates),
  keptDisks: parts.flatMap((part) => part.keptDisks),
  shelves: parts.flatMap((part) => part.shelves),
  silent: parts.flatMap((part) => part.silent),
  away: parts.flatMap((part) => part.away ?? []),
  places: parts.flatMap((part) => part.places ?? []),
  takenVmids: new Map(parts.flatMap((part) => [...part.takenVmids])),
  hosts: parts.flatMap((part) => part.hosts),
});
