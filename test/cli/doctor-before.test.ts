import { afterAll, beforeAll, expect, test } from "vitest";
import type { Vm } from "../../src/sim/proxmox/state.ts";
import { inspect } from "../support/screens/doctor-lab.ts";
import { expectGolden } from "../support/golden.ts";
import { fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

interface Said {
  url?: string;
  node?: string;
  hydra?: string;
  network?: string;
  memory?: string;
  more?: string;
}

/** The cluster of seed 000, not made yet; what is said otherwise is wrong. */
const fleetWith = (said: Said = {}) =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: "${said.url ?? "https://10.61.0.1:8006"}"
      node: ${said.node ?? "hydra"}
      token: { id: "slipway@pve!main", secret: { env: T } }
${said.hydra ?? ""}
clusters:
  lab:
    network: { cidr: 10.61.0.0/24, gateway: .254${said.network ?? ""} }
    controlPlanes: { count: 1, memory: ${said.memory ?? "2GiB"}, address: .101, vmid: 2000 }
    workers: { count: 2, memory: 3GiB, address: .102, vmid: 3000 }
${said.more ?? ""}`);

let site: RehearsalSite;
beforeAll(async () => {
  site = await rehearsalSite(fleetWith());
});
afterAll(async () => site[Symbol.asyncDispose]());

const golden = (text: string, name: string) =>
  expectGolden(text, import.meta.dirname, "testdata", `doctor-${name}.txt`);

test("doctor says that a cluster does not exist yet when nothing speaks against making it", async () => {
  const { text, code, cause } = await inspect(site, fleetWith());
  expect([code, cause]).toEqual([1, "DOCTOR_NOT_MADE_YET"]);
  golden(text, "not-made");
});

/** Every failure point of seed 000 that a file can hold, and what doctor calls it. */
const wrong: [string, string, Said][] = [
  ["api-unreachable", "PVE_UNREACHABLE", { url: "https://10.61.0.99:8006" }],
  ["node-unknown", "PVE_NODE_MISSING", { node: "hydrra" }],
  ["storage-unknown", "PVE_STORAGE_MISSING", { hydra: "      storage: { disks: fast-ssd }" }],
  [
    "image-unknown",
    "PVE_IMAGE_NOT_REACHABLE",
    { more: "    image: { url: https://nowhere.invalid/talos.qcow2 }" },
  ],
  ["memory-short", "PVE_MEMORY_SHORT", { memory: "900GiB" }],
  ["bridge-missing", "PVE_BRIDGE_MISSING", { network: ", bridge: vmbr9" }],
];

test.each(wrong)("doctor names the cause before anything is made: %s", async (name, expected, said) => {
  const { text, code, cause } = await inspect(site, fleetWith(said));
  expect([code, cause], text).toEqual([1, expected]);
  golden(text, name);
});

test("doctor names a VMID that somebody else has", async () => {
  const { vms } = site.rehearsal.datacenter.proxmox.state();
  const stranger: Vm = {
    vmid: 2000,
    node: "hydra",
    config: { name: "nas", memory: "1024" },
    pending: { set: {}, delete: [] },
    createdAt: 0,
    powerChangedAt: 0,
    snapshots: {},
  };
  vms[2000] = stranger;
  const { text, cause } = await inspect(site, fleetWith());
  delete vms[2000];
  expect(cause, text).toBe("PVE_VMID_TAKEN");
  golden(text, "vmid-taken");
});

test("doctor names a token that Proxmox does not take, and one that may too little", async () => {
  const state = site.rehearsal.datacenter.proxmox.state();
  const token = state.tokens["slipway@pve!main"];
  if (!token) throw new Error("there is no token");
  const { secret } = token;
  token.secret = "11111111-1111-4111-8111-111111111111";
  const denied = await inspect(site, fleetWith());
  token.secret = secret;
  expect(denied.cause, denied.text).toBe("PVE_LOGIN_REFUSED");
  golden(denied.text, "token-wrong");
  const { acl } = state;
  state.acl = [{ path: "/", role: "PVEAuditor", kind: "user", id: "slipway@pve", propagate: true }];
  const poor = await inspect(site, fleetWith());
  state.acl = acl;
  expect(poor.cause, poor.text).toBe("PVE_RIGHTS_MISSING");
  golden(poor.text, "rights-missing");
});

test("doctor names a host that is switched off", async () => {
  const { proxmox } = site.rehearsal.datacenter;
  await proxmox.setNode("hydra", "off");
  const { text, cause } = await inspect(site, fleetWith());
  await proxmox.setNode("hydra", "on");
  expect(cause, text).toBe("PVE_UNREACHABLE");
  golden(text, "host-off");
});

test("doctor as events: every question is a check of the phase doctor, below the one that led to it", async () => {
  const { events } = await inspect(site, fleetWith());
  const checks = events.flatMap((event) => (event.type === "check" ? [event] : []));
  expect(checks.every(({ phase }) => phase === "doctor")).toBe(true);
  expect(checks.map(({ id, parent, status, answer }) => [id, parent, status, answer])).toEqual([
    ["api-answers", undefined, "failed", "no"],
    ["etcd-quorum", "api-answers", "failed", "no"],
    ["machines-run", "etcd-quorum", "failed", "no"],
    ["what-is-in-the-way", "machines-run", "ok", "yes"],
  ]);
  expect(events.at(-1)).toMatchObject({ type: "done", outcome: "failed", exitCode: 1 });
});
