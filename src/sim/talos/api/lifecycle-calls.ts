import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { lifecycleApi } from "../../../clients/talos/index.ts";
import { hasImage, newerTarget } from "./image-calls.ts";
import { readInstaller } from "../boot/node-disk.ts";
import { upgradeProblem } from "../boot/upgrade-path.ts";

/** Upgrading from Talos 1.13 on: the new system is written, and runs from the next boot on. */
export const lifecycleCalls: ServiceImpl<typeof lifecycleApi.LifecycleService> = {
  async *upgrade(request, context) {
    const node = newerTarget("machine.LifecycleService", context);
    const image = request.source?.imageName ?? "";
    if (image === "") throw new ConnectError("image name is required", Code.InvalidArgument);
    if (!node.disk.isInstalled) throw new ConnectError("machine is not installed", Code.FailedPrecondition);
    if (!hasImage(node, image)) throw new ConnectError(`image "${image}": not found`, Code.NotFound);
    if (node.isInstalling) {
      throw new ConnectError("another upgrade is already in progress", Code.FailedPrecondition);
    }
    const system = readInstaller(image, node.disk);
    node.isInstalling = true;
    try {
      yield say(`running Talos installer v${system.version}`);
      await node.world.clock.sleep(node.world.latencies.installMs, context.signal);
      const problem = upgradeProblem(node.disk.version, system.version);
      if (problem !== undefined) {
        yield say(problem);
        // An installer that fails does not fail the call.
        yield { progress: { response: { case: "exitCode", value: 1 } } };
        return;
      }
      node.disk.nextSystem = system;
      node.save();
      yield say("installation is complete");
      yield { progress: { response: { case: "exitCode", value: 0 } } };
    } finally {
      node.isInstalling = false;
    }
  },
};

const say = (value: string) => ({ progress: { response: { case: "message" as const, value } } });
