import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { lifecycleApi } from "../../clients/talos/index.ts";
import { targetOf } from "./api-targets.ts";
import { readImage } from "./node-disk.ts";

/** Upgrading from Talos 1.13 on: the new system is written, and runs from the next boot on. */
export const lifecycleCalls: ServiceImpl<typeof lifecycleApi.LifecycleService> = {
  async *upgrade(request, context) {
    const node = targetOf(context);
    const image = request.source?.imageName ?? "";
    if (image === "") throw new ConnectError("image name is required", Code.InvalidArgument);
    if (!node.disk.isInstalled) throw new ConnectError("machine is not installed", Code.FailedPrecondition);
    const say = (message: string) => ({
      progress: { response: { case: "message" as const, value: message } },
    });
    yield say(`running Talos installer ${image}`);
    await node.world.clock.sleep(node.world.latencies.installMs, context.signal);
    const { version, schematic } = readImage(image);
    node.disk.nextSystem = { version, schematic };
    node.save();
    yield say("installation is complete");
    yield { progress: { response: { case: "exitCode", value: 0 } } };
  },
};

export const imageCalls: ServiceImpl<typeof lifecycleApi.ImageService> = {
  async *pull(request, context) {
    targetOf(context);
    yield { response: { case: "name", value: request.imageRef } };
  },
};
