import type { ConnectRouter } from "@connectrpc/connect";
import {
  clusterApi,
  cosiApi,
  lifecycleApi,
  machineApi,
  storageApi,
  timeApi,
} from "../../../clients/talos/index.ts";
import { streaming, unary } from "./targets.ts";
import { healthCheck } from "./health-check.ts";
import { imageCalls } from "./image-calls.ts";
import { lifecycleCalls } from "./lifecycle-calls.ts";
import { machineCalls } from "./machine-calls.ts";
import { nodeResources } from "../resources/node-resources.ts";
import type { TalosNode } from "../node.ts";
import { resourceCalls } from "../resources/resource-calls.ts";
import { timestampAt } from "./timestamp.ts";

/** Every service a simulated node offers. */
export function apiRoutes(router: ConnectRouter): void {
  router.service(machineApi.MachineService, machineCalls);
  router.service(cosiApi.State, resourceCalls);
  router.service(clusterApi.ClusterService, { healthCheck: streaming(healthCheck) });
  router.service(lifecycleApi.LifecycleService, lifecycleCalls);
  router.service(lifecycleApi.ImageService, imageCalls);
  router.service(timeApi.TimeService, {
    time: unary((node) => timeOf(node, "time.cloudflare.com")),
    timeCheck: unary((node, request: timeApi.TimeRequest) => timeOf(node, request.server)),
  });
  router.service(storageApi.StorageService, {
    disks: unary((node) => ({
      disks: nodeResources(node, "Disks.block.talos.dev").map((resource) => {
        const spec = resource.spec as { dev_path: string; size: number; model: string; serial: string };
        return {
          deviceName: spec.dev_path,
          size: BigInt(spec.size),
          model: spec.model,
          serial: spec.serial,
          type: storageApi.Disk_DiskType.SSD,
          systemDisk: spec.serial === node.systemSlot,
        };
      }),
    })),
  });
}

/** All clocks of a simulated datacenter agree. */
function timeOf(node: TalosNode, server: string) {
  const now = timestampAt(node.world.clock.now());
  return { server, localtime: now, remotetime: now };
}
