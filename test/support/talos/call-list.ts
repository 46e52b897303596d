import {
  resourceKinds,
  type TalosClient,
  type TalosEvent,
  type TalosService,
} from "../../../src/clients/talos/index.ts";
import { SlipwayError } from "../../../src/errors/index.ts";
import type { CallTarget } from "./call-target.ts";

/**
 * One list of calls for every node there is: each RPC that Slipway uses, in each state a node goes through. Played to a
 * real node it makes a recording, played to a simulated one it is held against that recording.
 */

/** What was answered: a value, or an error in the words of our client. */
export type Answer = { value: unknown } | { code: string; why: string; grpc: number };

/** By state, then by call. */
export type Recording = Record<string, Record<string, Answer>>;

type Calls = Record<string, () => Promise<unknown>>;

/** Long enough for a busy node to answer, short enough to wait for a call that is never answered. */
const soon = { timeoutMs: 4_000 };

/** From its first boot, in maintenance, to the end of the node. */
export async function playCalls(target: CallTarget): Promise<Recording> {
  await target.untilProbe("maintenance");
  const recording: Recording = {};
  const play = async (state: string, calls: Calls): Promise<void> => {
    recording[state] = await answersOf(calls);
  };
  const stranger = target.maintenance();
  await target.untilSo(async () => (await stranger.machineStatus())?.stage === "maintenance");
  await play("maintenance", { ...questions(stranger), ...forbidden(stranger), ...badConfigs(stranger) });
  await play("first config", await firstConfig(target, stranger));
  await target.untilProbe("ours");
  const admin = target.admin();
  await target.untilSo(async () => hasSettled(await admin.services()));
  await play("before bootstrap", {
    ...questions(admin),
    ...restarts(admin),
    ...badConfigs(admin),
    ...badCallers(target),
  });
  // Not twice: a real node takes a second call at once, stops the etcd that has just begun, and may not start it again.
  await play("bootstrap", { bootstrap: () => admin.bootstrap() });
  await target.untilSo(async () => (await admin.machineStatus())?.isReady === true);
  await play("running", {
    ...questions(admin),
    ...runningQuestions(admin),
    ...(await configChanges(target, admin)),
    ...refusals(admin),
    ...badCallers(target),
  });
  const events = await pastEvents(admin);
  await play("events", {
    sequences: async () => lines(events, "sequence "),
    // Whether a node is asked before it knows its stage is chance.
    stages: async () =>
      withoutRepeats(
        lines(events, "machine ")
          .map((line) => line.split(" ")[0] ?? "")
          .filter((stage) => stage !== "unknown"),
      ),
    ...Object.fromEntries(
      ["apid", "containerd", "cri", "etcd", "kubelet", "machined", "trustd"].map((id) => [
        id,
        // How long a service waits for another one, and for which, is a matter of the moment.
        async () =>
          withoutRepeats(
            lines(events, `service ${id} `)
              .map((line) => line.split(":")[0] ?? "")
              .filter((action) => action !== "waiting"),
          ),
      ]),
    ),
  });
  await play("reboot", rebootCalls(target, admin));
  await play("upgrade", {
    "upgrade to an image nobody has": () => admin.upgrade("ghcr.io/siderolabs/nonsense:v1.13.9"),
  });
  return recording;
}

const questions = (client: TalosClient): Calls => ({
  version: () => client.version(),
  hostname: () => client.hostname(),
  services: () => client.services(),
  memory: () => client.memory(),
  time: () => client.time(),
  bootId: () => client.bootId(),
  "readFile /etc/os-release": async () => Buffer.from(await client.readFile("/etc/os-release")).toString(),
  machineStatus: () => client.machineStatus(),
  members: () => client.members(),
  disks: () => client.disks(),
  links: () => client.links(),
  // Whether the bridge of the pods has one of its own yet is chance.
  addresses: async () =>
    (await client.addresses()).filter(({ link, cidr }) => link !== "cni0" || !cidr.startsWith("fe80")),
  systemDisk: () => client.systemDisk(),
  extensions: () => client.extensions(),
  etcdMembers: () => client.etcdMembers(soon),
  etcdStatus: () => client.etcdStatus(soon),
  etcdAlarms: () => client.etcdAlarms(soon),
  forfeitEtcdLeadership: () => client.forfeitEtcdLeadership(soon),
  "machineConfig, its first line": async () => (await client.machineConfig())?.split("\n")[0],
  "kubeconfig, its first line": async () => (await client.kubeconfig()).split("\n")[0],
  "images system": () => client.images(soon),
  "images cri": () => client.images({ namespace: "cri", ...soon }),
  "logs machined": () => firstOf(client.logs("machined", soon)),
  "logs nonsense": () => firstOf(client.logs("nonsense", soon)),
  dmesg: () => firstOf(client.dmesg(soon)),
  "events, the first": async () =>
    eventText((await client.events({ tail: -1, ...soon }).next()).value as TalosEvent),
  "watch machineStatus": async () => {
    for await (const { type } of client.watchResources(resourceKinds.machineStatus, {
      id: "machine",
      ...soon,
    }))
      return type;
    return "ended";
  },
  "getResource missing": () => client.getResource(resourceKinds.hostname, "nonsense"),
  "listResources hostname": async () =>
    (await client.listResources(resourceKinds.hostname)).map(({ id }) => id),
  "listResources of a kind nobody knows": () =>
    client.listResources({ namespace: "runtime", type: "Nonsenses.runtime.talos.dev" }),
  "listResources in a namespace nobody knows": () =>
    client.listResources({ namespace: "nonsense", type: resourceKinds.hostname.type }),
});

/** What only an administrator may ask for. */
const forbidden = (client: TalosClient): Calls => ({
  ...restarts(client),
  bootstrap: () => client.bootstrap(),
  rollback: () => client.rollback(),
  defragmentEtcd: () => client.defragmentEtcd(soon),
  leaveEtcd: () => client.leaveEtcd(soon),
  removeEtcdMember: () => client.removeEtcdMember("1", soon),
  etcdSnapshot: () => sizeOf(client.etcdSnapshot(soon)),
  recoverEtcd: () => client.recoverEtcd([Buffer.from("nonsense")], soon),
});

const restarts = (client: TalosClient): Calls => ({
  "restartService machined": () => client.restartService("machined"),
  "restartService nonsense": () => client.restartService("nonsense"),
});

const badConfigs = (client: TalosClient): Calls => ({
  "applyConfig that is no YAML": () => client.applyConfig("not: [valid"),
  "applyConfig with an unknown key": () =>
    client.applyConfig("version: v1alpha1\nmachine: { nonsense: 1 }\n"),
  "applyConfig with an unknown kind": () =>
    client.applyConfig("apiVersion: v1alpha1\nkind: NonsenseConfig\n"),
  "applyConfig of nothing": () => client.applyConfig(""),
  "applyConfig, a control plane without its authorities": () =>
    client.applyConfig("version: v1alpha1\nmachine: { type: controlplane }\ncluster: {}\n"),
  "applyConfig, dry, a worker without its authorities": () =>
    client.applyConfig("version: v1alpha1\nmachine: { type: worker }\ncluster: {}\n", { isDryRun: true }),
});

async function firstConfig(target: CallTarget, stranger: TalosClient): Promise<Calls> {
  const config = await target.config();
  return {
    // The rest of it is the whole config, with its keys.
    "applyConfig, dry, its first line": async () =>
      (await stranger.applyConfig(config, { isDryRun: true })).details.split("\n")[0],
    applyConfig: () => stranger.applyConfig(config),
    "applyConfig again": () => stranger.applyConfig(config),
  };
}

/** Who is not let in, and how that is told. */
const badCallers = (target: CallTarget): Calls => ({
  "version, by another cluster's administrator": () => target.stranger().version(),
  "version, as if in maintenance": () => target.maintenance().version(),
  "version, by a reader": () => target.reader().version(),
  "applyConfig, by a reader": async () => target.reader().applyConfig(await target.config()),
  "kubeconfig, by a reader": () => target.reader().kubeconfig(),
  "machineConfig, by a reader": () => target.reader().machineConfig(),
  "reboot, by a reader": () => target.reader().reboot(),
});

const runningQuestions = (client: TalosClient): Calls => ({
  "staticPods, their ids": async () =>
    (await client.listResources(resourceKinds.staticPods)).map(({ id }) => id).toSorted(),
  "etcdSnapshot, its first bytes": async () => (await sizeOf(client.etcdSnapshot())) > 4_096,
  disarmEtcdAlarms: () => client.disarmEtcdAlarms(),
  defragmentEtcd: () => client.defragmentEtcd(),
  pullImage: async () => (await client.pullImage("registry.k8s.io/pause:3.10.1")).split("@")[0],
});

async function configChanges(target: CallTarget, admin: TalosClient): Promise<Calls> {
  const same = await target.config();
  const labelled = await target.config("machine: { nodeLabels: { lab: real } }");
  const sysctl = await target.config('machine: { sysctls: { net.core.somaxconn: "1024" } }');
  const env = await target.config('machine: { env: { LAB: "1" } }');
  const otherCluster = await target.config("cluster: { clusterName: other }");
  const isRunning = async (): Promise<boolean> =>
    (await admin.machineConfig())?.includes("lab: real") ?? false;
  return {
    "dry, the same": () => admin.applyConfig(same, { isDryRun: true }),
    "dry, a label": () => admin.applyConfig(labelled, { isDryRun: true }),
    "dry, a sysctl": () => admin.applyConfig(sysctl, { isDryRun: true }),
    "dry, an environment variable": () => admin.applyConfig(env, { isDryRun: true }),
    "dry, an environment variable without a reboot": () =>
      admin.applyConfig(env, { isDryRun: true, mode: "no-reboot" }),
    "dry, another cluster name": () => admin.applyConfig(otherCluster, { isDryRun: true }),
    "dry, the same with a reboot": () => admin.applyConfig(same, { isDryRun: true, mode: "reboot" }),
    "try a label": () => admin.applyConfig(labelled, { mode: "try", tryTimeoutMs: 3_000 }),
    "on trial": isRunning,
    "after the trial": async () => {
      await target.clock.sleep(6_000);
      return isRunning();
    },
    "a label": () => admin.applyConfig(labelled),
    "with the label": isRunning,
    "back, without a reboot": () => admin.applyConfig(same, { mode: "no-reboot" }),
    "a label, staged": () => admin.applyConfig(labelled, { mode: "staged" }),
    "with it staged": isRunning,
    back: () => admin.applyConfig(same),
  };
}

const refusals = (client: TalosClient): Calls => ({
  ...restarts(client),
  "bootstrap once more": () => client.bootstrap(),
  "leaveEtcd of the only member": () => client.leaveEtcd({ timeoutMs: 10_000 }),
  "removeEtcdMember nobody knows": () => client.removeEtcdMember("1"),
  "recoverEtcd of what is no snapshot": () => client.recoverEtcd([Buffer.from("nonsense")]),
  "readFile missing": () => client.readFile("/nope"),
  "readFile of a folder": () => client.readFile("/etc"),
  "pullImage nobody has": () => client.pullImage("registry.k8s.io/nonsense:1"),
  rollback: () => client.rollback(),
});

/** The last of all: what the node does when its config asks for a reboot. */
const rebootCalls = (target: CallTarget, admin: TalosClient): Calls => ({
  "applyConfig with a reboot": async () =>
    admin.applyConfig(await target.config('machine: { env: { LAB: "1" } }')),
  "stages until it is gone": async () => {
    const stages: string[] = [];
    try {
      const changes = admin.watchResources(resourceKinds.machineStatus, {
        id: "machine",
        timeoutMs: 300_000,
      });
      for await (const { resource } of changes)
        stages.push(String((resource?.spec as { stage?: string } | undefined)?.stage));
    } catch {
      // The connection is cut when the node goes.
    }
    return withoutRepeats(stages);
  },
  "back again": async () => {
    await target.untilSo(async () => (await admin.machineStatus())?.stage === "running");
    return (await target.probe()).state;
  },
  "the new config": async () => {
    await target.untilSo(async () => (await admin.machineStatus())?.isReady === true);
    return (await admin.machineConfig())?.includes("LAB:");
  },
});

async function answersOf(calls: Calls): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  for (const [name, call] of Object.entries(calls)) answers[name] = await answerOf(call);
  return answers;
}

async function answerOf(call: () => Promise<unknown>): Promise<Answer> {
  try {
    return { value: await call() };
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    const { code } = (thrown.cause ?? {}) as { code?: number };
    // Whether our client or its connection ends a call that nobody answers is chance.
    const isOwnTimeout = thrown.code === "TALOS_NO_ANSWER";
    return { code: thrown.code, why: thrown.why, grpc: isOwnTimeout ? 4 : (code ?? -1) };
  }
}

/** All that the node remembers, one line each, oldest first. */
async function pastEvents(client: TalosClient): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const event of client.events({ tail: -1, timeoutMs: 3_000 })) lines.push(eventText(event));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
  }
  return lines;
}

function eventText(event: TalosEvent): string {
  switch (event.type) {
    case "sequence":
      return `sequence ${event.sequence} ${event.action}`;
    case "phase":
      return `phase ${event.phase} ${event.action}`;
    case "task":
      return `task ${event.task} ${event.action}`;
    case "service":
      return `service ${event.service} ${event.action}: ${event.message}`;
    case "machine":
      return `machine ${event.stage} ${event.isReady ? "ready" : "not ready"}`;
    default:
      return `other ${event.name}`;
  }
}

/** All but etcd run, and etcd waits for Bootstrap. */
const hasSettled = (services: TalosService[]): boolean =>
  ["etcd", "kubelet"].every((id) => services.some((service) => service.id === id)) &&
  services.every(({ id, state, isHealthy }) => (id === "etcd" ? state === "Preparing" : isHealthy === true));

/** What stands behind the prefix in the lines that have it; the same twice in a row counts once. */
const lines = (all: string[], prefix: string): string[] =>
  withoutRepeats(all.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length)));

const withoutRepeats = (all: string[]): string[] => all.filter((each, index) => each !== all[index - 1]);

async function firstOf(parts: AsyncIterable<unknown>): Promise<string> {
  for await (const part of parts) return typeof part;
  return "nothing";
}

async function sizeOf(parts: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const part of parts) bytes += part.length;
  return bytes;
}
