import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { TalosClient } from "../../src/clients/talos/index.ts";
import { SlipwayError } from "../../src/errors/index.ts";
import {
  hasTalosRecordings,
  recordedCalls,
  recordedStory,
  type Recorded,
} from "../support/talos-recordings.ts";
import { bringUp, talosLab, until, untilProbe, type TalosLab } from "../support/talos-lab.ts";

/** The calls made on real nodes of Talos 1.13.9, made on simulated ones: codes and messages must be the same. */

const address = "127.50.0.2";
const endpoint = `https://${address}:6443`;
const solo = { name: "cp-1", address, role: "control-plane" as const };
const soon = { timeoutMs: 500 };

/** As the recording names them. */
const calls: Record<string, (client: TalosClient) => Promise<unknown>> = {
  version: (client) => client.version(),
  hostname: (client) => client.hostname(),
  services: (client) => client.services(),
  memory: (client) => client.memory(),
  time: (client) => client.time(),
  bootId: (client) => client.bootId(),
  readFile: async (client) => (await client.readFile("/etc/os-release")).length,
  machineStatus: (client) => client.machineStatus(),
  machineConfig: (client) => client.machineConfig(),
  members: (client) => client.members(),
  disks: (client) => client.disks(),
  links: (client) => client.links(),
  addresses: (client) => client.addresses(),
  systemDisk: (client) => client.systemDisk(),
  extensions: (client) => client.extensions(),
  etcdMembers: (client) => client.etcdMembers(soon),
  etcdStatus: (client) => client.etcdStatus(soon),
  etcdAlarms: (client) => client.etcdAlarms(soon),
  forfeit: (client) => client.forfeitEtcdLeadership(soon),
  kubeconfig: (client) => client.kubeconfig(),
  images: (client) => client.images(soon),
  "images cri": (client) => client.images({ namespace: "cri", ...soon }),
  "restartService kubelet": (client) => client.restartService("kubelet"),
  "restartService machined": (client) => client.restartService("machined"),
  "restartService nonsense": (client) => client.restartService("nonsense"),
  rollback: (client) => client.rollback(),
  bootstrap: (client) => client.bootstrap(),
  "applyConfig garbage": (client) => client.applyConfig("not: [valid"),
  "applyConfig unknown": (client) => client.applyConfig("version: v1alpha1\nmachine: { nonsense: 1 }\n"),
  "applyConfig empty": (client) => client.applyConfig(""),
  "applyConfig incomplete": (client) =>
    client.applyConfig("version: v1alpha1\nmachine: { type: controlplane }\ncluster: {}\n"),
  "applyConfig dry incomplete": (client) =>
    client.applyConfig("version: v1alpha1\nmachine: { type: worker }\ncluster: {}\n", { isDryRun: true }),
};

/** Where the recorded node was another than the simulated one, and what is held against what instead. */
const reasons: Record<string, { why: string; like: string }> = {
  "maintenance time": { why: "it reached no time server", like: "value" },
  "configured time": { why: "it reached no time server", like: "value" },
  "configured etcdMembers": {
    why: "a time-out of our client, then told as a cut connection",
    like: "TALOS_NO_ANSWER",
  },
  "configured forfeit": {
    why: "our client's pings were too many for it, before the time-out came",
    like: "TALOS_NO_ANSWER",
  },
  "configured rollback": { why: "a container has no boot loader", like: "TALOS_PRECONDITION" },
};

const answerOf = async (call: () => Promise<unknown>): Promise<Recorded> => {
  try {
    return { value: await call() };
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    const { code } = (thrown.cause ?? {}) as { code?: number };
    return { code: thrown.code, why: thrown.why, grpc: code ?? -1 };
  }
};

/** Without what only that node had: its address, and what Talos asks of a config in a container. */
function comparable(answer: Recorded): unknown {
  if ("value" in answer) return "value";
  const lines = answer.why.replace(/^\d+\.\d+\.\d+\.\d+ /, "ADDRESS ").split("\n");
  const kept = lines.filter((line) => !line.includes("in container mode ("));
  const gone = lines.length - kept.length;
  const why = kept
    .join("\n")
    .replace(/(\d+) errors occurred/, (_, count: string) => `${Number(count) - gone} errors occurred`);
  return { code: answer.code, why, grpc: answer.grpc };
}

/** What is not as recorded; a reason that explains nothing any more counts too. */
async function differences(
  state: string,
  recorded: Map<string, Recorded>,
  client: TalosClient,
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [name, real] of recorded) {
    const call = calls[name];
    if (!call) throw new Error(`nobody makes the call "${name}" here`);
    const answer = await answerOf(() => call(client));
    const [simulated, wanted] = [comparable(answer), comparable(real)];
    const reason = reasons[`${state} ${name}`];
    const isSame = isDeepStrictEqual(simulated, wanted);
    const isExplained = reason && !isSame && ("code" in answer ? answer.code : "value") === reason.like;
    if (reason ? !isExplained : !isSame) found.push({ call: `${state} ${name}`, simulated, wanted, reason });
  }
  return found;
}

async function waiting(): Promise<TalosLab> {
  const lab = await talosLab({ endpoint });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  return lab;
}

test.skipIf(!hasTalosRecordings)(
  "a node in maintenance answers every recorded call as a real one does",
  async () => {
    await using lab = await waiting();
    const recorded = recordedCalls("calls-maintenance-real.txt");
    const client = lab.connectMaintenance(address);
    expect(recorded.size).toBeGreaterThan(25);
    expect(await differences("maintenance", recorded, client)).toEqual([]);
    for (const name of ["hostname", "machineStatus", "members"]) {
      expect(await answerOf(() => calls[name]?.(client) ?? Promise.resolve()), name).toEqual(
        recorded.get(name),
      );
    }
  },
  60_000,
);

test.skipIf(!hasTalosRecordings)(
  "a configured node before bootstrap answers as a real one does",
  async () => {
    await using lab = await waiting();
    await lab.connectMaintenance(address).applyConfig(lab.configFor(solo));
    await untilProbe(lab, address, "ours");
    const client = lab.connect(address);
    await until(async () =>
      (await client.services()).some(({ id, state }) => id === "etcd" && state === "Preparing"),
    );
    const recorded = recordedCalls("calls-configured-real.txt");
    expect(recorded.size).toBeGreaterThan(25);
    expect(await differences("configured", recorded, client)).toEqual([]);
    expect(await answerOf(() => calls["readFile"]?.(client) ?? Promise.resolve())).toEqual(
      recorded.get("readFile"),
    );
  },
  60_000,
);

test.skipIf(!hasTalosRecordings)(
  "a running control plane tells of applied configs and refusals as a real one does",
  async () => {
    await using lab = await talosLab({ endpoint });
    await bringUp(lab, [solo]);
    const client = lab.connect(address);
    const text = lab.configFor(solo);
    const labelled = lab.configFor({ ...solo, labels: { lab: "real" } });
    const story: Record<string, () => Promise<unknown>> = {
      "dry same": () => client.applyConfig(text, { isDryRun: true }),
      "apply label try": () => client.applyConfig(labelled, { mode: "try", tryTimeoutMs: 5_000 }),
      "apply label": () => client.applyConfig(labelled, { mode: "auto" }),
      "apply back no-reboot": () => client.applyConfig(text, { mode: "no-reboot" }),
      staged: () => client.applyConfig(labelled, { mode: "staged" }),
      "apply back": () => client.applyConfig(text, { mode: "auto" }),
      "reboot mode on same": () => client.applyConfig(text, { mode: "reboot", isDryRun: true }),
      "etcd leave of the only one": () => client.leaveEtcd(),
      "readFile missing": () => client.readFile("/nope"),
    };
    const recorded = recordedStory(Object.keys(story));
    const [member] = await client.etcdMembers();
    for (const [name, call] of Object.entries(story)) {
      const real = JSON.stringify(recorded.get(name)).replace(
        "10813411102727757453",
        String(BigInt(`0x${member?.id}`)),
      );
      expect(await answerOf(call), name).toEqual(JSON.parse(real));
    }
  },
  60_000,
);
