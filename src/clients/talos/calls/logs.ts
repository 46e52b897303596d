import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import { ContainerDriver } from "../gen/common_pb.ts";
import { MachineService } from "../gen/machine_pb.ts";

export interface LogOptions extends TalosCallOptions {
  /** Goes on until the caller leaves. */
  follows?: boolean;
  /** All lines unless said. */
  tailLines?: number;
  /** `k8s.io` for containers of pods, named `namespace/pod:container`. */
  namespace?: "system" | "k8s.io";
}

/** The log of a service, as bytes: parts do not end where lines end. */
export async function* logs(
  caller: Caller,
  id: string,
  options: LogOptions = {},
): AsyncGenerator<Uint8Array> {
  const { namespace = "system", follows = false, tailLines = -1 } = options;
  const driver = namespace === "system" ? ContainerDriver.CONTAINERD : ContainerDriver.CRI;
  const request = { namespace, id, driver, follow: follows, tailLines };
  const parts = caller.stream(MachineService, "Logs", { ...options, mayBeQuiet: follows }, (client, o) =>
    client.logs(request, o),
  );
  for await (const { bytes } of parts) yield bytes;
}

/** The kernel's log. `isTail`: only what comes from now on. */
export async function* dmesg(
  caller: Caller,
  options: TalosCallOptions & { follows?: boolean; isTail?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  const request = { follow: options.follows ?? false, tail: options.isTail ?? false };
  const parts = caller.stream(
    MachineService,
    "Dmesg",
    { ...options, mayBeQuiet: request.follow },
    (client, o) => client.dmesg(request, o),
  );
  for await (const { bytes } of parts) yield bytes;
}
