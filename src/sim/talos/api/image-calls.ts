import { createHash } from "node:crypto";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { commonApi, lifecycleApi, type machineApi } from "../../../clients/talos/index.ts";
import { streaming, targetOf, unary, untilCallerLeaves } from "./targets.ts";
import type { TalosNode } from "../node.ts";
import { timestampAt } from "./timestamp.ts";

const { ImageServicePullLayerProgress_Status: Status } = lifecycleApi;
const { ContainerdNamespace } = commonApi;

/** What every image of the simulated registries weighs. */
const imageBytes = 25_000_000n;

/** The node a call of the newer services is for. Talos up to 1.12 does not have them. */
export function newerTarget(service: string, context: HandlerContext): TalosNode {
  const node = targetOf(context);
  if (node.minor < 13) throw new ConnectError(`unknown service ${service}`, Code.Unimplemented);
  return node;
}

export const imageCalls: ServiceImpl<typeof lifecycleApi.ImageService> = {
  async *pull(request, context) {
    const node = newerTarget("machine.ImageService", context);
    pull(node, request.containerd?.namespace, request.imageRef);
    const layerId = digestOf(request.imageRef).slice(0, 19);
    for (const [status, offset] of [
      [Status.DOWNLOADING, imageBytes / 2n],
      [Status.DOWNLOAD_COMPLETE, imageBytes],
      [Status.EXTRACT_COMPLETE, imageBytes],
    ] as const) {
      const value = { layerId, progress: { status, offset, total: imageBytes } };
      yield { response: { case: "pullProgress" as const, value } };
    }
    yield { response: { case: "name" as const, value: request.imageRef } };
  },
  async *list(request, context) {
    const node = newerTarget("machine.ImageService", context);
    yield* list(node, request.containerd?.namespace, context.signal);
  },
};

/** The same in the machine service, for all versions. */
export const olderImageCalls = {
  imagePull: unary((node, request: machineApi.ImagePullRequest) => {
    pull(node, request.namespace, request.reference);
    return {};
  }),
  imageList: streaming((node, request: machineApi.ImageListRequest, signal) =>
    list(node, request.namespace, signal),
  ),
};

export const hasImage = (node: TalosNode, reference: string): boolean => node.images.system.has(reference);

type Namespace = commonApi.ContainerdNamespace | undefined;

function imagesOf(node: TalosNode, namespace: Namespace): Map<string, number> {
  if (namespace === ContainerdNamespace.NS_CRI) return node.images.cri;
  if (namespace === ContainerdNamespace.NS_SYSTEM) return node.images.system;
  throw new ConnectError("unsupported namespace", Code.InvalidArgument);
}

function pull(node: TalosNode, namespace: Namespace, reference: string): void {
  if (!reference.includes(":")) {
    throw new ConnectError(`error parsing image reference "${reference}"`, Code.InvalidArgument);
  }
  imagesOf(node, namespace).set(reference, node.world.clock.now());
}

async function* list(node: TalosNode, namespace: Namespace, signal: AbortSignal) {
  // In maintenance mode no containerd of this kind runs, and the node waits for one.
  if (node.config === undefined) await untilCallerLeaves(signal);
  for (const [name, at] of imagesOf(node, namespace)) {
    yield { name, digest: digestOf(name), size: imageBytes, createdAt: timestampAt(at) };
  }
}

const digestOf = (reference: string): string =>
  `sha256:${createHash("sha256").update(reference).digest("hex")}`;
