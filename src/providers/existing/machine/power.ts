import type { RedfishClient } from "../../../clients/redfish/index.ts";
import type { ReadContext, StepContext } from "../../../plan/index.ts";
import type { ExistingHost, ExistingMachine } from "../../../spec/index.ts";

/** How a machine is switched on from afar. */
export interface MachinePower {
  /** `Redfish`, `Wake-on-LAN`. */
  by: string;
  switchOn(ctx: StepContext): Promise<void>;
  /** As its controller tells it; absent where nobody can tell. Throws when the controller refuses us. */
  isOn?(ctx: ReadContext): Promise<boolean>;
}

/** The ways there are to switch machines. */
export interface PowerTools {
  /** The management controller of a machine that has one. */
  openBmc(host: ExistingHost, machine: ExistingMachine): Promise<RedfishClient>;
  /** Calls a MAC address on the network of this computer. */
  wake(mac: string): Promise<void>;
}

export const byHand = "by hand";

/** Undefined where only a person can. */
export function powerOf(
  { openBmc, wake }: PowerTools,
  host: ExistingHost,
  machine: ExistingMachine,
): MachinePower | undefined {
  const { bmc, mac, wakesOnLan, name } = machine;
  if (bmc) {
    const isOn = async (ctx: ReadContext): Promise<boolean> =>
      (await (await openBmc(host, machine)).powerState(bmc.system, ctx.signal)) !== "off";
    return {
      by: "Redfish",
      isOn,
      async switchOn(ctx) {
        // What is on and silent still starts, or has a fault that its power does not mend.
        if (await isOn(ctx)) ctx.log("info", `${name} is on, says its controller, and is waited for`);
        else await (await openBmc(host, machine)).reset("On", bmc.system, ctx.signal);
      },
    };
  }
  if (!wakesOnLan || mac === undefined) return undefined;
  return { by: "Wake-on-LAN", switchOn: () => wake(mac) };
}
