import { once } from "node:events";
import tls from "node:tls";
import { expect, test } from "vitest";
import type { TalosEvent } from "../../clients/talos/index.ts";
import { bringUp, talosLab, until, untilProbe, type TalosLab } from "../../../test/support/talos/lab.ts";

/** Where the simulator was milder than Talos 1.13.9: what real nodes answered, word for word. */

const address = "127.49.0.2";
const endpoint = `https://${address}:6443`;
const solo = { name: "cp-1", address, role: "control-plane" as const };

/** A node that waits for its first config. */
async function waiting(options: Partial<Parameters<typeof talosLab>[0]> = {}): Promise<TalosLab> {
  const lab = await talosLab({ endpoint, ...options });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  return lab;
}

/** A control plane with a config, before anybody has called Bootstrap. */
async function configured(options: Partial<Parameters<typeof talosLab>[0]> = {}): Promise<TalosLab> {
  const lab = await waiting(options);
  await lab.connectMaintenance(address).applyConfig(lab.configFor(solo));
  await untilProbe(lab, address, "ours");
  await until(async () => (await etcdState(lab)) === "Preparing");
  return lab;
}

const etcdState = async (lab: TalosLab): Promise<string | undefined> =>
  (await lab.connect(address).services()).find(({ id }) => id === "etcd")?.state;

test.each(["etcdMembers", "etcdStatus", "etcdAlarms", "forfeitEtcdLeadership"] as const)(
  "before bootstrap %s is not answered, and other calls are [talos S2]",
  async (call) => {
    await using lab = await configured();
    const client = lab.connect(address);
    const asked = client[call]({ timeoutMs: 400 }).catch((thrown: unknown) => thrown);
    expect(await client.services()).not.toEqual([]);
    expect(await asked).toMatchObject({ code: "TALOS_NO_ANSWER" });
  },
);

test("a second Bootstrap at once is taken and means the same; once etcd has data it is refused [talos S3]", async () => {
  await using lab = await configured({ latencies: { etcdMs: 1_000 } });
  const client = lab.connect(address);
  await client.bootstrap();
  await client.bootstrap();
  await until(async () => (await client.machineStatus())?.isReady === true);
  await expect(client.bootstrap()).rejects.toMatchObject({
    code: "TALOS_ALREADY_EXISTS",
    why: "etcd data directory is not empty",
  });
  expect(lab.guests.bootstraps()).toEqual({ lab: 1 });
});

test.each([
  ["etcdMembers", "member list"],
  ["etcdStatus", "etcd status"],
  ["etcdAlarms", "etcd alarm list"],
] as const)("a node in maintenance has no etcd to ask: %s [talos S4]", async (call, name) => {
  await using lab = await waiting();
  await expect(lab.connectMaintenance(address)[call]()).rejects.toMatchObject({
    code: "TALOS_UNIMPLEMENTED",
    why: `${name} is only available on control plane nodes`,
  });
});

test("a node in maintenance does not list images, it waits for a containerd [talos S5]", async () => {
  await using lab = await waiting();
  const client = lab.connectMaintenance(address);
  for (const namespace of ["system", "cri"] as const) {
    await expect(client.images({ namespace, timeoutMs: 400 })).rejects.toMatchObject({
      code: "TALOS_NO_ANSWER",
    });
  }
});

test("a stranger may not read the machine config [talos S6]", async () => {
  await using lab = await waiting();
  await expect(lab.connectMaintenance(address).machineConfig()).rejects.toMatchObject({
    code: "TALOS_DENIED",
    why: "not authorized",
  });
});

test("a second config on the connection that brought the first is not authorized [talos S7]", async () => {
  await using lab = await waiting({ latencies: { configureMs: 2_000 } });
  const client = lab.connectMaintenance(address);
  await client.applyConfig(lab.configFor(solo));
  await expect(client.applyConfig(lab.configFor(solo))).rejects.toMatchObject({
    code: "TALOS_DENIED",
    why: "not authorized",
  });
  await untilProbe(lab, address, "ours");
});

test("the certificate of a node in maintenance names nobody as its issuer, and no address of the node [talos S17]", async () => {
  await using lab = await waiting();
  const socket = tls.connect({
    socket: await lab.network.dial({ host: address, port: 50_000 }),
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  expect(certificate?.issuer).toBeUndefined();
  expect(certificate?.subjectAltName?.split(", ").map((name) => name.replace("IP Address:", ""))).toEqual([
    expect.stringMatching(/^DNS:/),
    "127.0.0.1",
    "0:0:0:0:0:0:0:1",
  ]);
});

test("a stream open at the first apply holds up the API, and is cut in the end [talos S8]", async () => {
  await using lab = await waiting({ latencies: { drainMs: 1_500 } });
  const client = lab.connectMaintenance(address);
  const events = client.events({ tail: 0 });
  await events.next();
  const ended = drain(events).catch((thrown: unknown) => thrown);
  await client.applyConfig(lab.configFor(solo));
  await untilProbe(lab, address, "unreachable");
  const silentAt = Date.now();
  await untilProbe(lab, address, "ours");
  expect(Date.now() - silentAt).toBeGreaterThan(1_000);
  expect(await ended).toMatchObject({ code: "TALOS_CONNECTION_CUT" });
});

test("the only member of etcd neither forfeits its lead nor leaves [talos S9]", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [solo]);
  await expect(lab.connect(address).forfeitEtcdLeadership()).rejects.toMatchObject({
    code: "TALOS_CALL_FAILED",
    why: "failed to forfeit leadership: cannot forfeit leadership, only one member",
  });
});

test("the last member of etcd cannot leave, in etcd's own words [talos S10]", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  const [member] = await client.etcdMembers();
  await expect(client.leaveEtcd()).rejects.toMatchObject({
    code: "TALOS_CALL_FAILED",
    why: `failed to leave cluster: 1 error(s) occurred:\n\tfailed to remove member ${BigInt(`0x${member?.id}`)}: etcdserver: re-configuration failed due to not enough started members`,
  });
});

test("of its services a node restarts the kubelet, and refuses the others [talos S11]", async () => {
  await using lab = await configured();
  const client = lab.connect(address);
  await client.restartService("kubelet");
  await expect(client.restartService("machined")).rejects.toMatchObject({
    code: "TALOS_CALL_FAILED",
    why: `service "machined" doesn't support restart operation via API`,
  });
  await expect(client.restartService("nonsense")).rejects.toMatchObject({
    code: "TALOS_CALL_FAILED",
    why: 'service "nonsense" not defined',
  });
});

test.each([
  [
    "that is no YAML",
    "not: [valid",
    "decode error: yaml: while parsing a flow sequence at <unknown position>: line 1: did not find expected ',' or ']'",
  ],
  [
    "with a key nobody knows",
    "version: v1alpha1\nmachine: { nonsense: 1 }\n",
    "error decoding document /v1alpha1/ (line 1): unknown keys found during decoding:\nmachine:\n    nonsense: 1\n",
  ],
  ["that is empty", "", "config not found"],
  [
    "that lacks what a control plane needs",
    "version: v1alpha1\nmachine: { type: controlplane }\ncluster: {}\n",
    `1 error occurred:
\t* v1alpha1.Config: 3 errors occurred:
\t* cluster controlplane endpoint is required
\t* issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)
\t* issuing CA is required (.machine.ca)



`,
  ],
  [
    "that lacks what a worker needs",
    "version: v1alpha1\nmachine: { type: worker }\ncluster: {}\n",
    `1 error occurred:
\t* v1alpha1.Config: 2 errors occurred:
\t* cluster controlplane endpoint is required
\t* issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)



`,
  ],
])("a config %s is refused in the words of the node [talos S12]", async (_, config, why) => {
  await using lab = await waiting();
  await expect(lab.connectMaintenance(address).applyConfig(config)).rejects.toMatchObject({
    code: "TALOS_CONFIG_INVALID",
    why,
  });
});

test("a config on trial says that it is applied, and for how long [talos S13]", async () => {
  await using lab = await configured();
  const client = lab.connect(address);
  const trial = (tryTimeoutMs?: number) =>
    client.applyConfig(lab.configFor(solo), { mode: "try", ...(tryTimeoutMs && { tryTimeoutMs }) });
  const text = (time: string) =>
    `Applied configuration without a reboot\nThe config is applied in 'try' mode and will be automatically reverted back in ${time}`;
  expect((await trial(5_000)).details).toBe(text("5s"));
  expect((await trial()).details).toBe(text("1m0s"));
});

test("events begin with an empty one and tell of sequences, phases, tasks, services and addresses [talos S14]", async () => {
  await using lab = await configured();
  const seen: TalosEvent[] = [];
  for await (const event of lab.connect(address).events({ tail: -1 })) {
    seen.push(event);
    if (event.type === "service" && event.service === "etcd" && event.action === "preparing") break;
  }
  expect(seen[0]).toMatchObject({ type: "other", name: "" });
  expect(seen[1]).toMatchObject({ type: "sequence", sequence: "initialize", action: "start" });
  const has = (part: Partial<Record<string, string>>) =>
    expect(seen).toContainEqual(expect.objectContaining(part) as unknown);
  has({ type: "phase", phase: "config", action: "start" });
  has({ type: "task", task: "runningMaintenance", action: "stop" });
  has({ type: "service", service: "machined", action: "running", message: "Health check successful" });
  has({ type: "service", service: "etcd", action: "preparing", message: "Running pre state" });
  has({ type: "machine", stage: "maintenance" });
  has({ type: "sequence", sequence: "boot", action: "start" });
  has({ type: "other", name: "machine.AddressEvent" });
});

test("what a node still waits for is told as a node tells it [talos S15]", async () => {
  await using lab = await configured();
  const client = lab.connect(address);
  await until(async () =>
    (await client.services()).some(({ id, state }) => id === "kubelet" && state === "Running"),
  );
  expect(await client.machineStatus()).toEqual({
    stage: "booting",
    isReady: false,
    unmet: [
      { name: "services", reason: "etcd not running" },
      { name: "nodeReady", reason: 'node "cp-1" status is not available yet' },
    ],
  });
});

test("a node has a loopback and link-local addresses beside those of its NIC [talos S16]", async () => {
  await using lab = await waiting({});
  const client = lab.connectMaintenance(address);
  expect(await client.links()).toContainEqual({
    name: "lo",
    mac: "00:00:00:00:00:00",
    permanentMac: "",
    kind: "",
    type: "loopback",
    state: "unknown",
  });
  const maintenance = await client.addresses();
  expect(maintenance).toEqual([
    { link: "eth0", cidr: `${address}/24`, family: "inet4" },
    { link: "eth0", cidr: "fe80::7fff:fe31:2/64", family: "inet6" },
    { link: "lo", cidr: "127.0.0.1/8", family: "inet4" },
    { link: "lo", cidr: "::1/128", family: "inet6" },
  ]);
  await client.applyConfig(lab.configFor(solo));
  await untilProbe(lab, address, "ours");
  expect(await lab.connect(address).addresses()).toContainEqual({
    link: "lo",
    cidr: "169.254.116.108/32",
    family: "inet4",
  });
});

test("a node lets an administrator read which system it runs [talos S18]", async () => {
  await using lab = await configured();
  const text = Buffer.from(await lab.connect(address).readFile("/etc/os-release")).toString();
  expect(text).toContain('PRETTY_NAME="Talos (v1.13.9)"\n');
  // As long as the real file, to the byte.
  expect(text).toHaveLength(232);
});

async function drain(events: AsyncGenerator<TalosEvent>): Promise<void> {
  let isOver = false;
  while (!isOver) isOver = (await events.next()).done ?? false;
}
