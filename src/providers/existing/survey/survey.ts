import { Semaphore } from "../../../lib/index.ts";
import type {
  BareMachineLook,
  OwnedMachine,
  ReadContext,
  Survey,
  MachineInspection,
} from "../../../plan/index.ts";
import type { ExistingHost, Role } from "../../../spec/index.ts";
import type { ListedMachine, MachineRegistry } from "../machine-registry.ts";
import { asOwn, keyOf, type SeenMachine } from "./own-survey.ts";
import { errorData } from "../../../errors/index.ts";
import { machineOff, machineSilent } from "../errors.ts";

const looksAtOnce = 32;

/** One look at every machine of these hosts. None that is silent ends anything: lists are always there. */
export async function surveyMachines(
  ctx: ReadContext,
  registry: MachineRegistry,
  hosts: ExistingHost[],
): Promise<Survey> {
  const places = new Semaphore(looksAtOnce);
  const found = await Promise.all(
    registry
      .machinesOn(hosts)
      .map((listed) => places.use(async () => ({ listed, look: await registry.look(listed, ctx.signal) }))),
  );
  const running = new Set(found.flatMap(({ look }) => (look.state === "ours" ? [look.cluster] : [])));
  const seen = found.map(({ listed, look }) => ({ listed, seen: judge(listed, look, running) }));
  return {
    machines: seen.flatMap(({ listed, seen: each }) => owned(listed, each)),
    images: [],
    keptDisks: [],
    keptDisksHolders: [],
    unreachable: [],
    hosts: [],
    places: hosts.map(({ name }) => name),
    emptied: found.flatMap(({ listed, look }) => (look.state === "free" ? [listed.machine.name] : [])),
    own: asOwn(
      Object.fromEntries(seen.map((each) => [keyOf(each.listed.host, each.listed.machine.name), each.seen])),
    ),
  };
}

function judge(listed: ListedMachine, look: BareMachineLook, running: ReadonlySet<string>): SeenMachine {
  if (look.state === "ours") return { look, cluster: look.cluster };
  const owner = listed.chosenBy?.name;
  if (look.state === "unreachable" && owner !== undefined && running.has(owner))
    return { look, cluster: owner, isPresumed: true };
  return { look };
}

function owned({ host, machine, chosenBy }: ListedMachine, seen: SeenMachine): OwnedMachine[] {
  const { look, cluster } = seen;
  if (cluster === undefined) return [];
  const hardware = "hardware" in look ? look.hardware : undefined;
  const disks = (hardware?.disks ?? []).filter((disk) => !disk.isSystem && !disk.isBootMedium);
  const fromFile: Role | undefined = chosenBy?.nodes.find((node) => node.name === machine.name)?.role;
  return [
    {
      cluster,
      node: machine.name,
      role: look.state === "ours" ? look.role : (fromFile ?? "worker"),
      host,
      on: host,
      isRunning: look.state === "ours",
      image: "",
      memoryMiB: hardware?.memoryMiB ?? 0,
      cores: hardware?.cores ?? 0,
      dataDisksGiB: disks.map(({ sizeGiB }) => sizeGiB),
      keptDisks: disks.map(({ sizeGiB, path }, index) => ({ index, sizeGiB, volume: path })),
      isProtected: false,
    },
  ];
}

/** Why machines stand still, as far as anybody can tell: their controller where they have one, else their silence. */
export const inspectMachines = (
  ctx: ReadContext,
  registry: MachineRegistry,
  machines: OwnedMachine[],
): Promise<MachineInspection[]> =>
  Promise.all(
    machines.map(async (machine): Promise<MachineInspection> => {
      const listed = registry.find(machine.host, machine.node);
      if (!listed) return { machine, evidence: "the file does not list it" };
      const look = await registry.look(listed, ctx.signal);
      if (look.state !== "unreachable") return { machine, evidence: "it answers" };
      const facts = { ...machine, address: listed.machine.address, at: listed.machine.at, why: look.why };
      const isOn = await registry
        .power(listed)
        ?.isOn?.(ctx)
        .catch(() => undefined);
      if (isOn === false)
        return {
          machine,
          stoppedBy: "a user",
          evidence: "its controller says that it is off",
          error: errorData(machineOff(facts)),
        };
      const evidence = isOn ? "its controller says that it is on" : `nothing answers at ${facts.address}`;
      return { machine, stoppedBy: "nobody knows", evidence, error: errorData(machineSilent(facts)) };
    }),
  );
