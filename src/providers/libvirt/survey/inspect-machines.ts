import type { Domain, LibvirtClient } from "../../../clients/libvirt/index.ts";
import { errorData } from "../../../errors/index.ts";
import type { MachineInspection, OwnedMachine, ReadContext, Survey } from "../../../plan/index.ts";
import { machineCrashed, machineHeld, machineOff, poolRanFull } from "./inspect-errors.ts";
import type { HostRegistry } from "../host-registry.ts";
import { isDomainOf } from "../machine/find-machine.ts";

/** Why machines stand still, as libvirt remembers it: it forgets when its host restarts. */
export function inspectMachines(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
  survey: Survey,
): Promise<MachineInspection[]> {
  return Promise.all(
    machines.map(async (machine) => {
      const client = await registry.client(machine.host);
      const domain = await findDomain(ctx, client, machine);
      if (!domain) return { machine, stoppedBy: "a user", evidence: "its definition is gone" };
      const { state, reason } = await client.domainReason(domain, ctx.signal);
      return state === "running" || state === "blocked"
        ? { machine, evidence: "it runs" }
        : judge(machine, state, reason, survey);
    }),
  );
}

async function findDomain(
  ctx: ReadContext,
  client: LibvirtClient,
  machine: OwnedMachine,
): Promise<Domain | undefined> {
  return (await client.domains(ctx.signal)).find((domain) => isDomainOf(domain, machine));
}

function judge(machine: OwnedMachine, state: string, reason: string, survey: Survey): MachineInspection {
  const facts = { cluster: machine.cluster, node: machine.node, host: machine.host };
  const evidence = `libvirt says ${state}${reason === "unknown" ? "" : `, ${reason}`}`;
  if (state === "paused" || state === "suspended") {
    const full = survey.hosts
      .find(({ host }) => host === machine.host)
      ?.storages.find(({ freeGiB }) => freeGiB < 1);
    const error =
      reason === "io error" ? poolRanFull({ ...facts, pool: full?.name }) : machineHeld({ ...facts, reason });
    return { machine, stoppedBy: machine.host, evidence, error: errorData(error) };
  }
  if (reason === "crashed" || reason === "failed" || state === "crashed")
    return {
      machine,
      stoppedBy: machine.host,
      evidence,
      error: errorData(machineCrashed({ ...facts, reason })),
    };
  const stoppedBy = reason === "destroyed" ? "a user" : reason === "shutdown" ? "its system" : machine.host;
  return { machine, stoppedBy, evidence, error: errorData(machineOff({ ...facts, reason })) };
}
