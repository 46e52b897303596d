import { errorData } from "../../../errors/index.ts";
import type { MachineInspection, OwnedMachine, ReadContext } from "../../../plan/index.ts";
import { machineOff, machineSilent } from "../errors.ts";
import type { MachineRegistry } from "../machine-registry.ts";

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
