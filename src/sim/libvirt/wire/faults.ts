import type { SimHost } from "../host.ts";
import { cutPower } from "../domains/power.ts";
import { diskFull } from "../storage/places.ts";
import { internalError, timedOut, type Refusal } from "../refusal.ts";

type Fate = "go on" | "silence" | "lost-reply";

/**
 * What a fault makes of a call. `refuse` is a daemon that is restarted: every connection to it is cut, and its machines run
 * on. `error` is what the host says when it breaks there: no room for a volume, a QEMU that ends.
 */
export async function strike(host: SimHost, name: string, args: unknown, cut: () => void): Promise<Fate> {
  const kind = host.faults.next(`libvirt ${host.name} ${name}`);
  switch (kind) {
    case undefined:
    case "no-quorum":
      return "go on";
    case "lost-reply":
      return "lost-reply";
    case "hang":
      return "silence";
    case "unreachable":
      cut();
      return "silence";
    case "refuse":
      host.restart();
      return "silence";
    case "lock":
      await host.clock.sleep(lockWaitMs);
      throw timedOut(
        "qemu",
        "cannot acquire state change lock (held by monitor=remoteDispatchDomainGetState)",
      );
    case "error":
      throw broken(name, args);
    case "die":
      await loseGuests(host, args);
      return "go on";
  }
}

const lockWaitMs = 30_000;

function broken(name: string, args: unknown): Refusal {
  if (name.startsWith("STORAGE_VOL_CREATE") || name === "STORAGE_VOL_UPLOAD")
    return diskFull("/var/lib/libvirt", volumeIn(args), 2 ** 20);
  if (name.startsWith("DOMAIN_CREATE"))
    return internalError(
      "qemu",
      "process exited while connecting to monitor: qemu-system-x86_64: failed to initialize kvm: Device or resource busy",
    );
  return internalError("rpc", `unexpected failure of ${name}`);
}

const volumeIn = (args: unknown): string =>
  (args as { volume?: { name: string } }).volume?.name ??
  /<name>([^<]*)/.exec((args as { xml?: string }).xml ?? "")?.[1] ??
  "";

/** The machine that the call names loses power, or every machine of the host. */
async function loseGuests(host: SimHost, args: unknown): Promise<void> {
  const named = (args as { domain?: { uuid: string } } | undefined)?.domain?.uuid;
  const victims = Object.values(host.state.domains).filter(
    ({ uuid, id }) => id >= 0 && (named === undefined || uuid === named),
  );
  await Promise.all(victims.map((domain) => cutPower(host, domain, "crashed")));
}
