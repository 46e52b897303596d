import { timestampMs } from "@bufbuild/protobuf/wkt";
import { within, type Caller, type TalosCallOptions } from "../wire/caller.ts";
import { hasCode } from "../errors.ts";
import { ContainerDriver, ContainerdNamespace } from "../gen/common_pb.ts";
import { ImageService } from "../gen/lifecycle_pb.ts";
import { MachineService } from "../gen/machine_pb.ts";
import { version } from "./machine.ts";
import { onlyMessage } from "../wire/only-message.ts";
import { hasLifecycleService } from "./talos-version.ts";

/** system: what Talos itself runs, and installers · cri: what Kubernetes runs. */
export type ImageNamespace = "system" | "cri";

export interface TalosImage {
  name: string;
  digest: string;
  sizeBytes: bigint;
  createdMs: number;
}

export interface PullOptions extends TalosCallOptions {
  namespace?: ImageNamespace;
  /** Told for each part of the image, where the node tells it. */
  onProgress?(layer: string, doneBytes: bigint, totalBytes: bigint): void;
}

/** A registry may be far away. */
const pullTimeoutMs = 15 * 60_000;

const namespaces = { system: ContainerdNamespace.NS_SYSTEM, cri: ContainerdNamespace.NS_CRI };

export const containerdOf = (namespace: ImageNamespace) => ({
  driver: ContainerDriver.CRI,
  namespace: namespaces[namespace],
});

/** Fetches an image to the node, by the service its version has. Returns the name it got there. */
export async function pullImage(
  caller: Caller,
  reference: string,
  options: PullOptions = {},
): Promise<string> {
  const { namespace = "system" } = options;
  const inspection = within(options, pullTimeoutMs);
  return byService(
    caller,
    options,
    () => pullWithProgress(caller, reference, { ...inspection, namespace }),
    async () => {
      const request = { namespace: namespaces[namespace], reference };
      await caller.call(MachineService, "ImagePull", inspection, async (client, o) =>
        onlyMessage(await client.imagePull(request, o)),
      );
      return reference;
    },
  );
}

export function pullWithProgress(
  caller: Caller,
  reference: string,
  options: PullOptions = {},
): Promise<string> {
  const { namespace = "system", onProgress } = options;
  const request = { containerd: containerdOf(namespace), imageRef: reference };
  const inspection = within(options, pullTimeoutMs);
  return caller.call(ImageService, "Pull", inspection, async (client, o) => {
    let name = reference;
    for await (const { response } of client.pull(request, o)) {
      if (response.case === "name") name = response.value;
      if (response.case !== "pullProgress") continue;
      const { layerId, progress } = response.value;
      onProgress?.(layerId, progress?.offset ?? 0n, progress?.total ?? 0n);
    }
    return name;
  });
}

export function images(
  caller: Caller,
  options: TalosCallOptions & { namespace?: ImageNamespace } = {},
): Promise<TalosImage[]> {
  const { namespace = "system" } = options;
  return byService(
    caller,
    options,
    () =>
      caller.call(ImageService, "List", options, (client, o) =>
        readImages(client.list({ containerd: containerdOf(namespace) }, o)),
      ),
    () =>
      caller.call(MachineService, "ImageList", options, (client, o) =>
        readImages(client.imageList({ namespace: namespaces[namespace] }, o)),
      ),
  );
}

/** The newer service where the running version has it. A node that does not know it after all gets the older call. */
export async function byService<T>(
  caller: Caller,
  options: TalosCallOptions,
  newer: () => Promise<T>,
  older: () => Promise<T>,
): Promise<T> {
  const running = await version(caller, withoutLimit(options));
  if (!hasLifecycleService(running.version)) return older();
  try {
    return await newer();
  } catch (error) {
    if (hasCode(error, "TALOS_UNIMPLEMENTED")) return older();
    throw error;
  }
}

/** A caller's limit is meant for the long work, not for asking which version runs. */
const withoutLimit = ({ signal }: TalosCallOptions): TalosCallOptions => ({ signal });

interface ImageMessage {
  name: string;
  digest: string;
  size: bigint;
  createdAt?: Parameters<typeof timestampMs>[0] | undefined;
}

async function readImages(messages: AsyncIterable<ImageMessage>): Promise<TalosImage[]> {
  const found: TalosImage[] = [];
  for await (const { name, digest, size, createdAt } of messages) {
    found.push({ name, digest, sizeBytes: size, createdMs: createdAt ? timestampMs(createdAt) : 0 });
  }
  return found;
}
