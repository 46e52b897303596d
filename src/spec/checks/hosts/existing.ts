import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { machinesAtHand, type MachineAtHand } from "../../complete/existing.ts";
import { hasGuests } from "../../model/distribution-kinds.ts";
import type { ExistingMachine } from "../../model/existing.ts";
import { adviseName } from "../../schema/fields/one-of.ts";
import type { Path } from "../../source/positions.ts";
import type { Problem } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";
import { onlyLists } from "./hosts-of.ts";

/** Machines that are there already: each is one machine, and a node of at most one cluster. */
export const checkExisting = (fleet: FleetDraft): Problem[] => {
  const listed = machinesAtHand(
    fleet.hosts,
    fleet.hosts.map(({ host }) => host.name),
  ).map(({ machine }) => machine);
  return [
    ...listed.flatMap((machine) => unwakeable(machine)),
    ...twice(
      listed,
      "SPEC_NAME_TWICE",
      ({ name }) => name,
      (name) => `Another machine is called "${name}" as well`,
    ),
    ...twice(
      listed,
      "SPEC_ADDRESS_TWICE",
      ({ address }) => address,
      (address) => `Another machine has ${address} as well`,
    ),
    ...twice(
      listed,
      "SPEC_MAC_TWICE",
      ({ mac }) => mac,
      (mac) => `Another machine has MAC ${mac} as well`,
    ),
    ...chosenTwice(fleet),
    ...fleet.clusters.flatMap((draft) => ofCluster(fleet, draft)),
  ];
};

function twice(
  machines: ExistingMachine[],
  code: string,
  of: (machine: ExistingMachine) => string | undefined,
  what: (value: string) => string,
): Problem[] {
  const seen = new Map<string, ExistingMachine>();
  return machines.flatMap((machine): Problem[] => {
    const value = of(machine);
    if (value === undefined) return [];
    const before = seen.get(value);
    if (!before) seen.set(value, machine);
    if (!before) return [];
    const next = "Correct one of the two, or remove it";
    return [{ code, what: `${what(value)} ${elsewhere(before.at, machine.at)}`, next, position: machine.at }];
  });
}

function unwakeable({ name, wakesOnLan, mac, at }: ExistingMachine): Problem[] {
  if (!wakesOnLan || mac !== undefined) return [];
  const what = `"${name}" cannot be woken: its MAC address is what it would hear`;
  return [
    { code: "SPEC_MISSING_FIELD", what, next: "Add mac: of its NIC, or remove wakeOnLan", position: at },
  ];
}

function chosenTwice({ clusters }: FleetDraft): Problem[] {
  const seen = new Map<string, { cluster: string; position: Problem["position"] }>();
  return clusters.flatMap((draft) =>
    draft.pools.flatMap((pool) => {
      const position = draft.document.locate([...pool.path, "machines"]);
      return pool.nodes.flatMap(({ machine }): Problem[] => {
        if (!machine) return [];
        const before = seen.get(machine.name);
        seen.set(machine.name, { cluster: draft.cluster.name, position });
        if (!before) return [];
        return [
          {
            code: "SPEC_MACHINE_TWICE",
            what: `Machine "${machine.name}" is chosen by "${before.cluster}" as well ${elsewhere(before.position, position)}`,
            next: "Leave it to one of the two: a machine is one node",
            position,
          },
        ];
      });
    }),
  );
}

function ofCluster(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const { cluster } = draft;
  const at = machinesAtHand(fleet.hosts, cluster.on);
  return [
    ...draft.pools.flatMap((pool) =>
      pool.written.machines === undefined
        ? unchosen(draft, pool, !onlyLists(fleet, draft), at)
        : [...unknown(draft, pool, at), ...tooFew(draft, pool, at), ...idle(draft, pool)],
    ),
    ...cluster.nodes.flatMap(({ machine, role }) =>
      machine ? [...unproven(draft, machine), ...unplugged(draft, machine, role)] : [],
    ),
  ];
}

/** Nothing is made where machines are only listed. */
function unchosen(
  { document, cluster }: ClusterDraft,
  pool: PoolDraft,
  canMake: boolean,
  at: MachineAtHand[],
): Problem[] {
  if (canMake || pool.written.count === 0) return [];
  const names = at.slice(0, 2).map(({ machine }) => machine.name);
  return [
    {
      code: "SPEC_MACHINES_UNSAID",
      what: `No machine can be made for ${pool.name}: ${cluster.on.join(", ")} lists machines that exist`,
      next: `Choose some: machines: [${names.join(", ")}], or by their labels`,
      position: document.locateKey(pool.path),
    },
  ];
}

function unknown({ document, cluster }: ClusterDraft, pool: PoolDraft, at: MachineAtHand[]): Problem[] {
  const { machines = [] } = pool.written;
  if (!Array.isArray(machines)) return [];
  const known = at.map(({ machine }) => machine.name);
  return machines.flatMap((name, index): Problem[] => {
    if (known.includes(name)) return [];
    return [
      {
        code: "SPEC_UNKNOWN_MACHINE",
        what: `The hosts of "${cluster.name}" list no machine "${name}"`,
        next:
          known.length > 0
            ? adviseName(name, known)
            : "List it: hosts: { rack: { existing: { machines: […] } } }, and name the host under on",
        position: document.locate([...pool.path, "machines", index]),
      },
    ];
  });
}

function tooFew({ document }: ClusterDraft, pool: PoolDraft, at: MachineAtHand[]): Problem[] {
  const { machines = [], count } = pool.written;
  const isCounted = document.mapKeys(pool.path).includes("count");
  const found = pool.nodes.length;
  if (Array.isArray(machines)) {
    if (!isCounted || count === new Set(machines).size) return [];
    return [
      {
        code: "SPEC_TOO_FEW_MACHINES",
        what: `${pool.name} names ${machines.length} machines, and says that they are ${count}`,
        next: "Remove count: each machine named is a node",
        position: document.locate([...pool.path, "count"]),
      },
    ];
  }
  if (found > 0 && (!isCounted || count <= found)) return [];
  const said = Object.entries(machines).map(([label, value]) => `${label}: ${value}`);
  return [
    {
      code: "SPEC_TOO_FEW_MACHINES",
      what: `${found} of ${at.length} machines have the labels ${said.join(", ")}; ${pool.name} needs ${isCounted ? count : "at least one"}`,
      next:
        found === 0
          ? "Give the machines these labels, or name them: machines: [rack-1]"
          : `Write count: ${found}, or label more machines`,
      position: document.locate([...pool.path, "machines"]),
    },
  ];
}

const ofMadeMachines = new Set([
  ...[
    "skip",
    "cores",
    "memory",
    "disk",
    "storage",
    "dataDisks",
    "on",
    "dhcp",
    "address",
    "vmid",
    "mac",
    "hardware",
  ],
]);

/** What is said of machines to be made is nothing that one can be told which exists. */
function idle({ document }: ClusterDraft, pool: PoolDraft): Problem[] {
  const paths: Path[] = [
    pool.path,
    ...Object.keys(pool.written.nodes).map((name) => [...pool.path, "nodes", name]),
  ];
  return paths.flatMap((path) =>
    document
      .mapKeys(path)
      .filter((name) => ofMadeMachines.has(name))
      .map((name) => ({
        code: "SPEC_NOT_ON_EXISTING",
        what: `"${name}" is for machines that are made; those of ${pool.name} exist`,
        next: `Remove ${name}; what differs between machines stands beside their names under hosts`,
        position: document.locateKey([...path, name]),
      })),
  );
}

/** No hypervisor shows the console of a machine that it does not run. */
function unproven({ cluster }: ClusterDraft, machine: ExistingMachine): Problem[] {
  const { fingerprint, isTrusted, name, at } = machine;
  const { firstContact } = cluster.distribution;
  const wantsSsh = hasGuests(cluster);
  if (fingerprint !== undefined && wantsSsh !== fingerprint.startsWith("SHA256:"))
    return [
      {
        code: "SPEC_BAD_FINGERPRINT",
        what: wantsSsh
          ? `The fingerprint of "${name}" is one of Talos, but SSH leads to it`
          : `The fingerprint of "${name}" is that of an SSH key, but it runs Talos`,
        next: wantsSsh
          ? "Write SHA256:… as ssh-keygen -lf prints it"
          : "Write what Talos prints on its screen in maintenance mode",
        position: at,
      },
    ];
  // What the user's own known_hosts says of a Linux machine counts as well.
  if (fingerprint !== undefined || isTrusted || firstContact === "trust" || wantsSsh) return [];
  return [
    {
      code: "SPEC_MACHINE_UNPROVEN",
      what: `Nothing says by what "${name}" is known before it gets the keys of the cluster`,
      next: "Add fingerprint: as it stands on its screen, or fingerprint: trust to believe whoever answers",
      position: at,
    },
  ];
}

/** The NIC that carries the shared address is known by its MAC alone. */
function unplugged(draft: ClusterDraft, machine: ExistingMachine, role: string): Problem[] {
  const { vip } = draft.cluster.network;
  if (vip === undefined || role !== "control-plane" || machine.mac !== undefined || hasGuests(draft.cluster))
    return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: `"${machine.name}" is to share ${vip}, and nothing says on which NIC`,
      next: "Add mac: of the NIC that has its address",
      position: machine.at,
    },
  ];
}
