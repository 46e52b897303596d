import { expect, test } from "vitest";
import type { Fleet } from "../../src/spec/index.ts";
import type { Dial } from "../../src/lib/index.ts";
import type { World } from "../../src/world/world.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Nodes that do not answer when somebody has to know what they hold. */

const lab = (more: string, controlPlanes = 1): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.35.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.35.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: ${controlPlanes}, memory: 2GiB, address: .10, vmid: 2000 }
${more}`);

/** Nobody gets through to this address: always, or until something is being changed. */
function unreachableBecause(
  site: RehearsalSite,
  address: string,
  how: "always" | "while planning",
): () => void {
  const { world } = site.rehearsal;
  site.rehearsal.world = (stop, tell) => {
    let isSilent = true;
    const plain = world(stop, (event) => {
      if (how === "while planning" && event.type === "started") isSilent = false;
      tell(event);
    });
    const dialFor: World["dialFor"] = (cluster) => {
      const dial: Dial = plain.dialFor(cluster);
      return (to, signal) =>
        isSilent && to.host === address
          ? Promise.reject(Object.assign(new Error("no route"), { code: "EHOSTUNREACH" }))
          : dial(to, signal);
    };
    return { ...plain, dialFor };
  };
  return () => (site.rehearsal.world = world);
}

test(
  "a node that was silent when the plan was made gets nothing that nobody agreed to",
  { timeout: 600_000 },
  async () => {
    await using site = await rehearsalSite(lab(""));
    expect((await site.up(lab(""))).runReport.outcome).toBe("done");
    const speak = unreachableBecause(site, "10.35.0.10", "while planning");
    const changed = lab(
      '    patches: [{ machine: { sysctls: { net.core.somaxconn: "4096" } } }]\n    talos: { kernelArgs: [] }\n',
    );
    // It is there, and the plan must not say that anything of it is made.
    const silent = (await site.plan(changed)).changes.find(({ node }) => node.id === "lab/config/cp-1");
    expect(silent).toMatchObject({ action: "update", consequence: "hot", isUnreachable: true });
    expect(silent?.node.facts?.["because"]).toMatch(/^does not answer \(.+\): what it lacks is not known/);
    const { events } = await site.up(changed);
    expect(errorsIn(events)).toEqual([expect.stringMatching(/^TALOS_CONFIG_UNASKED .*machine\.sysctls/)]);
    speak();
    const [change] = (await site.plan(changed)).changes;
    expect(change?.node.id).toBe("lab/config/cp-1");
  },
);

test(
  "no cluster is founded while a control plane that existed before does not answer",
  { ...whole, timeout: 600_000 },
  async () => {
    const fleet = lab("", 3);
    await using site = await rehearsalSite(fleet);
    expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("done");
    const speak = unreachableBecause(site, "10.35.0.11", "always");
    const { events } = await site.up(fleet);
    expect(errorsIn(events).join("\n")).toContain("TALOS_MEMBER_SILENT cp-2 existed before");
    expect(site.rehearsal.datacenter.talos.bootstraps()).toEqual({ lab: 0 });
    speak();
    const again = await site.up(fleet);
    expect(again.runReport.outcome, errorsIn(again.events).join("; ")).toBe("done");
  },
);

test(
  "a node that took its first config from a run whose answer was lost is not given another [talos S7]",
  { timeout: 600_000 },
  async () => {
    // Whoever is met on its console is reset before it could be asked again.
    const fleet = lab("    talos: { firstContact: trust }\n");
    const faults = [{ call: "talos machine.MachineService/ApplyConfiguration", kind: "lost-reply" as const }];
    await using site = await rehearsalSite(fleet, { faults, latencies: { configureMs: 60_000 } });
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "log", text: "cp-1 has taken its first config already" }),
    );
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);
