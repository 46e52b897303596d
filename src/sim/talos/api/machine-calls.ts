import { gzipSync } from "node:zlib";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";

import type { machineApi } from "../../../clients/talos/index.ts";
import { adminKubeconfig } from "../kubernetes/admin-kubeconfig.ts";
import { streaming, unary } from "./targets.ts";
import { applyConfig } from "../config/apply-config.ts";
import { tarHeader } from "../../../lib/index.ts";
import { bootstrapCalls } from "../etcd/bootstrap.ts";
import { shutdownCalls } from "./shutdown-calls.ts";
import { controlPlaneCluster, etcdCalls } from "../etcd/etcd-calls.ts";
import { olderImageCalls } from "./image-calls.ts";
import { followEvents, followKernelLog, serviceLog } from "./log-streams.ts";
import type { TalosNode } from "../node.ts";
import { timestampAt } from "./timestamp.ts";

/** Of its own services, a node restarts only this one on demand. */
const restartable = new Set(["kubelet"]);

/** The machine API of a simulated node. */
export const machineCalls: ServiceImpl<typeof machineApi.MachineService> = {
  ...bootstrapCalls,
  ...etcdCalls,
  ...shutdownCalls,
  ...olderImageCalls,
  applyConfiguration: unary(applyConfig),
  version: unary(version),
  hostname: unary((node) => ({ hostname: node.hostname() })),
  serviceList: unary(serviceList),
  memory: unary((node) => {
    const total = BigInt(node.hardware.memoryMiB) * 1024n;
    return { meminfo: { memtotal: total, memfree: total / 2n, memavailable: (total * 3n) / 4n } };
  }),
  serviceRestart: unary((node, { id }: machineApi.ServiceRestartRequest) => {
    if (node.services.get(id) === undefined) {
      throw new ConnectError(`service "${id}" not defined`, Code.Unknown);
    }
    if (!restartable.has(id)) {
      throw new ConnectError(`service "${id}" doesn't support restart operation via API`, Code.Unknown);
    }
    node.services.start(id);
    return { resp: `Service "${id}" restarted` };
  }),
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
    platform: {
      name: node.disk.platform,
      mode: node.disk.platform === "nocloud" ? "cloud" : node.disk.platform,
    },
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

/** The archive is left unfinished, as the real one is. */
async function* kubeconfig(node: TalosNode) {
  controlPlaneCluster(node, "kubeconfig");
  const content = Buffer.from(await adminKubeconfig(node));
  yield { bytes: gzipSync(Buffer.concat([tarHeader("kubeconfig", content.length, 0o600), content])) };
}

function* readFile(node: TalosNode, request: machineApi.ReadRequest) {
  const content = files[request.path]?.(node);
  if (Object.keys(files).some((file) => file.startsWith(`${request.path}/`))) {
    throw new ConnectError("path must be a regular file", Code.Unknown);
  }
  if (content === undefined) {
    throw new ConnectError(`stat ${request.path}: no such file or directory`, Code.NotFound);
  }
  yield { bytes: Buffer.from(content) };
}

/** The files a simulated node has. */
const files: Record<string, (node: TalosNode) => string> = {
  "/proc/sys/kernel/random/boot_id": ({ disk }) => `${disk.bootId}\n`,
  "/etc/os-release": ({ disk: { version: tag } }) =>
    [
      'NAME="Talos"',
      "ID=talos",
      `VERSION_ID=v${tag}`,
      `PRETTY_NAME="Talos (v${tag})"`,
      'HOME_URL="https://www.talos.dev/"',
      'BUG_REPORT_URL="https://github.com/siderolabs/talos/issues"',
      'VENDOR_NAME="Sidero Labs"',
      'VENDOR_URL="https://www.siderolabs.com/"',
      "",
    ].join("\n"),
};
