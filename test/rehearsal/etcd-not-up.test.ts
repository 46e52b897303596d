import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspect } from "../support/screens/doctor-lab.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { verifySite } from "../support/screens/verify-lab.ts";
import { whole } from "../support/whole-sweep.ts";

/** A Talos cluster whose nodes run and whose etcd does not: real nodes keep every answer about etcd back. */

const fleetAt = (net: string) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.${net}.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.${net}.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 4GiB, address: .20, vmid: 3000 }
`);

const image = "registry.k8s.io/etcd:v3.6.12";

describe("a cluster that nobody founded", () => {
  const fleet = fleetAt("91");
  let site: RehearsalSite;
  beforeAll(async () => {
    const faults = [{ call: "talos machine.MachineService/Bootstrap", kind: "error" as const, times: 99 }];
    site = await rehearsalSite(fleet, { faults });
    const { runReport } = await site.up(fleet);
    expect(runReport.outcome).toBe("failed");
  });
  afterAll(async () => site[Symbol.asyncDispose]());

  test("doctor hears nodes whose etcd was never founded, and says that it was not [talos 3]", async () => {
    const { cause, text } = await inspect(site, fleet);
    expect(text).not.toContain("no answer within");
    expect(cause, text).toBe("DOCTOR_ETCD_NOT_FOUNDED");
  });

  test("verify counts nodes as answering whose etcd does not run [talos 4]", async () => {
    const { events } = await verifySite(site, fleet, { isQuick: true });
    const found = (id: string) =>
      events.flatMap((event) =>
        event.type === "check" && event.id === id ? [[event.status, event.found]] : [],
      );
    expect(found("talos-answers")).toEqual([["ok", expect.stringMatching(/^2 of 2/)]]);
    expect(found("addresses")).toEqual([["ok", "2 of 2"]]);
    expect(found("etcd-healthy")).toEqual([["failed", "0 of 1: cp-1 says: etcd is Preparing"]]);
  });
});

describe("an etcd whose image cannot be had", () => {
  const fleet = fleetAt("92");
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await rehearsalSite(fleet);
    site.rehearsal.datacenter.faults.cluster.add({ kind: "image-pull", image: "*/etcd:*" });
  });
  afterAll(async () => site[Symbol.asyncDispose]());

  test(
    "up says why etcd does not start while it waits, and gives up when the node does [talos 6]",
    whole,
    async () => {
      const { runReport, events } = await site.up(fleet);
      const seen = events.flatMap((event) => (event.type === "waiting" ? [event.lastSeen ?? ""] : []));
      expect(seen).toContainEqual(
        expect.stringContaining(`etcd is Preparing: failed to pull image "${image}"`),
      );
      expect(runReport.outcome).toBe("failed");
      const failure = events.find((event) => event.type === "failed");
      expect(failure?.error).toMatchObject({
        code: "TALOS_ETCD_IMAGE",
        why: expect.stringContaining("not found") as unknown,
        next: expect.stringContaining("talos.registries") as unknown,
      });
      const asked = site.rehearsal.datacenter.faults.seen.filter((call) => call.endsWith("/EtcdMemberList"));
      expect(asked).toEqual([]);
    },
  );

  test("doctor names the image that keeps etcd from starting [talos 6]", whole, async () => {
    const { cause, text } = await inspect(site, fleet);
    expect(cause, text).toBe("DOCTOR_ETCD_NOT_STARTING");
    expect(text).toContain(image);
  });

  test("once the image can be had, up goes on from there", whole, async () => {
    site.rehearsal.datacenter.faults.cluster.clear("image-pull");
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    const { cause, code } = await inspect(site, fleet);
    expect([cause, code]).toEqual(["", 0]);
  });
});
