import { afterAll, beforeAll, expect, test } from "vitest";
import type { ErrorData } from "../../src/errors/index.ts";
import type { HostFault } from "../../src/sim/index.ts";
import type { LinuxHost } from "../../src/sim/linux/index.ts";
import { isFull, sampled, whole } from "../support/whole-sweep.ts";
import { expectGolden } from "../support/golden.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";

/**
 * What keeps K3s from coming up, each put in its way: the step ends with the reason, long before its deadline.
 * All of it, and the words of each: SLIPWAY_FULL=1.
 */

const file = (servers: number, agents: number) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.17.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.17.0.0/24, gateway: .254 }
    controlPlanes: { count: ${servers}, address: .10, vmid: 2000 }
    workers: { count: ${agents}, address: .20, vmid: 3000 }
`;
const large = fleetOf(file(3, 0));

let site: RehearsalSite;
const texts: string[] = [];

beforeAll(async () => {
  site = await rehearsalSite(large);
});

afterAll(() => site[Symbol.asyncDispose]());

const hostNamed = (name: string): LinuxHost => {
  const host = site.rehearsal.datacenter.linux.hosts().get(name);
  if (!host) throw new Error(`no host ${name}`);
  return host;
};

/** The error a run ends with, as a person reads it; what differs from run to run is left out. */
function failureOf({ runReport, events }: Told): ErrorData {
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("failed");
  const failed = events.find((event) => event.type === "failed");
  if (failed?.type !== "failed") throw new Error("no step failed");
  return failed.error;
}

function keep(title: string, { code, what, why, next }: ErrorData): void {
  const text = [`# ${title}`, `${what}  ${code}`, `  why   ${why}`, `  next  ${next}`, ""].join("\n");
  texts.push(text.replaceAll(/\b[0-9a-f]{12}…/g, "HASH…").replaceAll(/\b\d+s (ahead|behind)/g, "N s $1"));
}

const dropIn = "/etc/rancher/k3s/config.yaml.d/90-by-hand.yaml";

/** `up` while somebody's own file stands beside ours on a node. */
async function upWithFile(fleet: typeof large, node: string, content: string): Promise<ErrorData> {
  hostNamed(node).view.files.write(dropIn, content);
  const told = await site.up(fleet);
  hostNamed(node).view.files.remove(dropIn);
  return failureOf(told);
}

async function upWithFault(fleet: typeof large, fault: HostFault): Promise<ErrorData> {
  const { hosts } = site.rehearsal.datacenter.faults;
  hosts.add(fault);
  const told = await site.up(fleet);
  hosts.clear();
  return failureOf(told);
}

test("files of K3s that are not there are told before the first machine is made", async () => {
  const offline = fleetOf(
    file(1, 0).replace("disable: [traefik]", "artifacts: { folder: ./none }, images: true"),
  );
  const { runReport, events } = await site.up(offline);
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join("\n")).toContain("K3S_ARTIFACT_MISSING");
  expect(site.machines()).toEqual([]);
});

test(
  "what is wrong with a machine is found before anything is brought to it",
  { ...whole, timeout: 600_000 },
  async () => {
    await site.up(large, { until: "machines" });
    const cases: [string, string, HostFault][] = [
      ["the kernel counts no memory", "K3S_CGROUPS_MISSING", { kind: "no-memory-cgroup", host: "cp-1" }],
      ["a port is taken", "K3S_PORTS_IN_USE", { kind: "port-taken", host: "cp-1", port: 6443 }],
      ["the clock is wrong", "K3S_CLOCK_OFF", { kind: "clock-skew", host: "cp-1", skewMs: -600_000 }],
      ["the disk is full", "K3S_COMMAND_FAILED", { kind: "disk-full", host: "cp-1", path: "/etc/rancher/*" }],
    ];
    for (const [title, code, fault] of sampled(cases, 4)) {
      const error = await upWithFault(large, fault);
      expect(error.code, title).toBe(code);
      keep(title, error);
    }
  },
);

test(
  "what a server that joins will never get over ends its wait",
  { ...whole, timeout: 600_000 },
  async () => {
    const cases: [string, string, string][] = [
      ["a setting that all servers must share", "K3S_SETTINGS_DIFFERENT", "cluster-cidr: 10.99.0.0/16\n"],
      ["a token of another cluster", "K3S_CA_HASH_DIFFERENT", `token: K10${"0".repeat(64)}::server:x\n`],
      ["a wrong password", "K3S_NOT_AUTHORIZED", "token: nonsense\n"],
      ["a token that was cut", "K3S_TOKEN_BROKEN", "token: K10abc::server:x\n"],
    ];
    for (const [title, code, content] of sampled(cases, 4, 1)) {
      const error = await upWithFile(large, "cp-2", content);
      expect(error.code, title).toBe(code);
      keep(title, error);
    }
  },
);

test.skipIf(!isFull)(
  "once the cause is gone the same command goes on from there",
  { ...whole, timeout: 600_000 },
  async () => {
    const { runReport, events } = await site.up(large);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  },
);

/** Whoever finds it starts K3s again. */
const restartMarker = "/etc/rancher/k3s/.slipway-restart";

test.skipIf(!isFull)(
  "a name that belongs to another machine is told",
  { ...whole, timeout: 600_000 },
  async () => {
    const withAgent = fleetOf(file(3, 1));
    expect((await site.up(withAgent)).runReport.outcome).toBe("done");
    const { files } = hostNamed("worker-1").view;
    files.write("/etc/rancher/node/password", "of another machine\n");
    files.write(restartMarker, "");
    const error = failureOf(await site.up(withAgent));
    expect(error.code).toBe("K3S_NODE_PASSWORD");
    keep("another machine has its name", error);
  },
);

test.skipIf(!isFull)(
  "a server that etcd never lets vote is told",
  { ...whole, timeout: 600_000 },
  async () => {
    await site.removeByHand(2002);
    site.rehearsal.datacenter.faults.cluster.add({ kind: "learner-stuck", node: "cp-3" });
    const error = failureOf(await site.up(large));
    expect(error.code).toBe("RUN_WAIT_TOO_LONG");
    keep("etcd never lets it vote", error);
    site.rehearsal.datacenter.faults.cluster.clear();
    expect((await site.up(large)).runReport.outcome).toBe("done");
  },
);

test.skipIf(!isFull)(
  "no second cluster is founded while a server that was there before says nothing",
  { ...whole, timeout: 600_000 },
  async () => {
    await site.removeByHand(2000);
    for (const name of ["cp-2", "cp-3"]) await hostNamed(name).systemd.find("k3s.service")?.stop();
    const error = await upWithFault(large, { kind: "ssh-login-refused", host: "cp-[23]" });
    expect(error.code).toBe("K3S_MEMBER_SILENT");
    keep("the other servers say nothing", error);
  },
);

test.skipIf(!isFull)("each of these reads like this", whole, () => {
  expectGolden(texts.join("\n"), import.meta.dirname, "testdata/k3s-failures.txt");
});
