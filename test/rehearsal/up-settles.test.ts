import { describe, expect, test } from "vitest";
import { fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const fleetAt = (net: string) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.${net}.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.${net}.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
`);

/** Asked for only when the whole cluster is looked at. */
const alarms = "talos machine.MachineService/EtcdAlarmList";

describe.each([
  { net: "93", times: 5, outcome: "done", statuses: ["ok"], when: {} },
  { net: "94", times: 999, outcome: "failed", statuses: ["failed"], when: whole },
])("up with $times answers that are missing", ({ net, times, outcome, statuses, when }) => {
  test(
    `looks again at what is not healthy yet, tells the checklist once, and is ${outcome}`,
    when,
    async () => {
      const fleet = fleetAt(net);
      await using site = await rehearsalSite(fleet, { faults: [{ call: alarms, kind: "error", times }] });
      const { runReport, events } = await site.up(fleet);
      expect(runReport.outcome).toBe(outcome);
      const told = events.flatMap((event) =>
        event.type === "check" && event.id === "etcd-healthy" ? [event.status] : [],
      );
      expect(told).toEqual(statuses);
      const notes = events.flatMap((event) =>
        event.type === "log" && event.text.includes("not healthy yet") ? [event.text] : [],
      );
      expect(notes).toEqual(["lab is not healthy yet: etcd not healthy; looking again"]);
      expect(runReport.tookMs).toBeLessThan(600_000);
    },
  );
});
