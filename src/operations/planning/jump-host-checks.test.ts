import { expect, test } from "vitest";
import { fleetOf, rehearsalSite } from "../../../test/support/sim/rehearsal-site.ts";
import { SlipwayError } from "../../errors/index.ts";
import { realClock, RouteError, type Target } from "../../lib/index.ts";
import type { World } from "../../world/world.ts";
import { jumpChecks } from "./jump-host-checks.ts";

const fleet = fleetOf(`version: 1
hosts:
  pve:
    jump: admin@bastion
    proxmox:
      url: https://192.168.1.20:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
clusters:
  homelab:
    network: { cidr: 10.10.0.0/24, bridge: vmbr1, jump: [admin@bastion, "root@pve:2222"] }
    controlPlanes: { count: 1, cores: 2, memory: 4GiB, disk: 20GiB, address: .10 }
`);
const [cluster] = fleet.clusters;
const ctx = { signal: new AbortController().signal, clock: realClock, log: () => {} };

/** A world whose hops answer like this. */
const worldWhere = (answer: (jumpHost: string, to: Target) => Error): World =>
  ({
    kind: "real",
    dialOver: (jump: { host: string }[]) => (to: Target) =>
      Promise.reject(answer(jump.at(-1)?.host ?? "", to)),
  }) as unknown as World;

const findings = (world: World) =>
  Promise.all(
    (cluster ? jumpChecks(cluster, fleet.hosts, world) : []).map(async (check) => ({
      host: check.host,
      ...(await check.run(ctx)),
    })),
  );

test("every host on the way is tried once, with what lies behind it", async () => {
  const tried: string[] = [];
  const world = worldWhere((jumpHost, { host, port }) => {
    tried.push(`${jumpHost} -> ${host}:${port}`);
    return new RouteError("ECONNREFUSED", jumpHost, "Connection refused");
  });
  // That nobody is there yet is not the host's fault.
  expect((await findings(world)).map(({ host, status }) => [host, status])).toEqual([
    ["admin@bastion", "ok"],
    ["root@pve:2222", "ok"],
  ]);
  expect(tried).toEqual(["bastion -> pve:2222", "pve -> 10.10.0.10:50000"]);
});

test("a host that cannot be gone through fails with its own error, at its place in the file", async () => {
  const refused = {
    code: "SSH_LOGIN_REFUSED",
    what: "Cannot log in",
    why: "tried nothing",
    next: "Try a key",
  };
  const [bastion, pve] = await findings(
    worldWhere((jumpHost) =>
      jumpHost === "pve" ? new SlipwayError(refused) : new RouteError("ETIMEDOUT", jumpHost, "no answer"),
    ),
  );
  expect(bastion).toMatchObject({ status: "ok" });
  expect(pve).toMatchObject({
    status: "failed",
    error: { ...refused, at: { path: "clusters.homelab.network.jump[1]" } },
  });
});

test("a rehearsal uses no jump host, and says so", async () => {
  await using site = await rehearsalSite(fleet);
  const { events } = await site.up(fleet, { until: "machines" });
  const told = events.flatMap((event) => (event.type === "log" ? event.text : []));
  expect(told).toContain("not used in a rehearsal: jump host root@pve:2222");
  expect(events.find((event) => event.type === "check" && event.id === "jump")).toMatchObject({
    status: "skipped",
    found: "not used in a rehearsal",
  });
});
