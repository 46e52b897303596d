import { gzipSync } from "node:zlib";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";

import type { machineApi } from "../../clients/talos/index.ts";
import { adminKubeconfig } from "./admin-kubeconfig.ts";
import { streaming, unary } from "./api-targets.ts";
import { applyConfig } from "./apply-config.ts";
import { etcdCalls } from "./etcd-calls.ts";
import { followEvents, followKernelLog, serviceLog } from "./log-streams.ts";
import type { Ending, TalosNode } from "./node.ts";
import { tarHeader } from "./tar-header.ts";
import { timestampAt } from "./timestamp.ts";

/** The machine API of a simulated node. */
export const machineCalls: ServiceImpl<typeof machineApi.MachineService> = {
  ...etcdCalls,
  applyConfiguration: unary(applyConfig),
  version: unary(version),
  hostname: unary((node) => ({ hostname: node.hostname() })),
  serviceList: unary(serviceList),
  memory: unary((node) => {
    const total = BigInt(node.hardware.memoryMiB) * 1024n;
    return { meminfo: { memtotal: total, memfree: total / 2n, memavailable: (total * 3n) / 4n } };
  }),
  reboot: unary((node) => end(node, { kind: "reboot" })),
  shutdown: unary((node) => end(node, { kind: "shutdown" })),
  reset: unary(reset),
  upgrade: unary((node, request: machineApi.UpgradeRequest) => ({
    ack: "Upgrade request received",
    ...end(node, { kind: "upgrade", image: request.image }),
  })),
  kubeconfig: streaming(kubeconfig),
  events: streaming(followEvents),
  dmesg: streaming(followKernelLog),
  logs: streaming(serviceLog),
  read: streaming(readFile),
};

function version(node: TalosNode) {
  return {
    version: {
      tag: `v${node.disk.version}`,
      sha: "simulated",
      built: "",
      goVersion: "go1.26.6",
      os: "linux",
      arch: "amd64",
    },
    platform: { name: "nocloud", mode: "cloud" },
    features: { rbac: true },
  };
}

function serviceList(node: TalosNode) {
  return {
    services: node.services.list().map((service) => ({
      id: service.id,
      state: service.state,
      events: {
        events: service.history.map(({ state, message, at }) => ({
          state,
          msg: message,
          ts: timestampAt(at),
        })),
      },
      health: {
        unknown: service.isHealthy === undefined,
        healthy: service.isHealthy ?? false,
        lastMessage: service.isHealthy === false ? service.message : "",
        lastChange: timestampAt(service.changedAt),
      },
    })),
  };
}

/** Starts the end of the running system once the answer is on its way. */
function end(node: TalosNode, ending: Ending): { actorId: string } {
  const actorId = node.world.random.bytes(16).toString("hex");
  setImmediate(() => node.end(ending, actorId));
  return { actorId };
}

function reset(node: TalosNode, request: machineApi.ResetRequest) {
  const labels = request.systemPartitionsToWipe.map((partition) => partition.label);
  const unknown = labels.find((label) => label !== "STATE" && label !== "EPHEMERAL");
  if (unknown !== undefined) {
    throw new ConnectError(`partition "${unknown}" is not found`, Code.InvalidArgument);
  }
  return end(node, {
    kind: "reset",
    wipes: labels.filter((label) => label === "STATE" || label === "EPHEMERAL"),
    isWholeDisk: labels.length === 0,
    reboots: request.reboot,
    isGraceful: request.graceful,
  });
}

/** The archive is left unfinished, as the real one is. */
async function* kubeconfig(node: TalosNode) {
  if (!node.isControlPlane) {
    throw new ConnectError("kubeconfig is only available on control plane nodes", Code.FailedPrecondition);
  }
  const content = Buffer.from(await adminKubeconfig(node));
  yield { bytes: gzipSync(Buffer.concat([tarHeader("kubeconfig", content.length), content])) };
}

function* readFile(node: TalosNode, request: machineApi.ReadRequest) {
  if (request.path !== "/proc/sys/kernel/random/boot_id") {
    throw new ConnectError(`stat ${request.path}: no such file or directory`, Code.NotFound);
  }
  yield { bytes: Buffer.from(`${node.disk.bootId}\n`) };
}
