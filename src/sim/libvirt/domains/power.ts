import { allAt, type XmlElement } from "../../../lib/index.ts";
import type { Guest } from "../../guest.ts";
import { currentXml, lifecycle, refOf, type SimHost } from "../host.ts";
import { demandActiveNetwork, networkNamed, plugOf } from "../networks/networks.ts";
import { internalError, operationInvalid, systemError, unsupportedConfiguration } from "../refusal.ts";
import { domainStates, offReasons, type SimDomain } from "../state.ts";
import { volumeAt } from "../storage/places.ts";
import { attributeAt } from "../xml.ts";
import { diskPath, disksOf, guestDisks, hardwareOf, memoryKiB } from "./hardware.ts";
import { liveXml } from "./live-xml.ts";

const stoppedDetails = { shutdown: 0, destroyed: 1, crashed: 2 } as const;

/** Switches a machine on: everything QEMU looks at before it hands over to the guest. */
export async function startDomain(host: SimHost, domain: SimDomain): Promise<void> {
  if (domain.id >= 0) throw operationInvalid("qemu", "domain is already running");
  const xml = currentXml(domain);
  demandStartable(host, xml);
  await host.clock.sleep(host.latencies.startMs);
  if (domain.id >= 0) throw operationInvalid("qemu", "domain is already running");
  domain.id = host.state.nextId++;
  domain.live = liveXml(host, xml, domain.id);
  domain.state = domainStates.running;
  domain.reason = 1;
  domain.startedAt = host.clock.now();
  runGuest(host, domain);
  host.tell({ domain: refOf(domain), event: lifecycle.started, detail: 0 });
}

function demandStartable(host: SimHost, xml: XmlElement): void {
  if (xml.attributes["type"] === "qemu" && attributeAt(xml, ["cpu"], "mode") === "host-passthrough")
    throw unsupportedConfiguration(
      "qemu",
      "CPU mode 'host-passthrough' for x86_64 qemu domain on x86_64 host is not supported by hypervisor",
    );
  for (const disk of disksOf(xml)) demandDisk(host, diskPath(host, disk));
  for (const nic of allAt(xml, "devices", "interface")) demandPlug(host, nic);
  if (memoryKiB(xml, "memory") * 1024 > host.file.memory)
    throw internalError(
      "qemu",
      "qemu unexpectedly closed the monitor: qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory",
    );
}

/** With all that it stands on. */
function demandDisk(host: SimHost, path: string | undefined): void {
  if (path === undefined) return;
  const volume = volumeAt(host, path);
  if (!volume) throw systemError("qemu", `Cannot access storage file '${path}': No such file or directory`);
  demandDisk(host, volume.backing?.path);
}

function demandPlug(host: SimHost, nic: XmlElement): void {
  const { kind, source } = plugOf(nic);
  if (kind === "network") demandActiveNetwork(networkNamed(host, source));
  const ports = Object.values(host.file.bridges).flatMap((bridge) => bridge.ports);
  const isThere = kind === "direct" ? ports.includes(source) : source in host.file.bridges;
  if (kind !== "network" && !isThere)
    throw systemError("qemu", `Cannot get interface MTU on '${source}': No such device`);
}

/** Lets the guest run. Also used when the simulator itself starts again. */
export function runGuest(host: SimHost, domain: SimDomain): void {
  const { id, uuid } = domain;
  const isThis = (): boolean => domain.id === id && host.guests.get(uuid) === guest;
  const guest: Guest = host.boot(hardwareOf(host, domain), guestDisks(host, domain), {
    powerOff: () => {
      if (isThis()) wentOff(host, domain, "shutdown");
    },
    saved: () => host.changed(),
    print: (text) => {
      if (domain.id === id) host.ports.print(uuid, text);
    },
  });
  host.guests.set(uuid, guest);
  host.changed();
}

/** It is off now, whoever did it; one without a definition is gone. */
function wentOff(host: SimHost, domain: SimDomain, how: keyof typeof stoppedDetails): void {
  host.guests.delete(domain.uuid);
  domain.id = -1;
  domain.state = domainStates.off;
  domain.reason = offReasons[how];
  delete domain.live;
  if (!domain.defined) delete host.state.domains[domain.uuid];
  host.ports.hangUp(domain.uuid);
  host.tell({ domain: refOf(domain), event: lifecycle.stopped, detail: stoppedDetails[how] });
  host.changed();
}

export function demandRunning(domain: SimDomain): void {
  if (domain.id < 0) throw operationInvalid("qemu", "domain is not running");
}

/** Power goes away at once: by somebody's hand, or because something broke. */
export async function cutPower(
  host: SimHost,
  domain: SimDomain,
  how: "destroyed" | "crashed",
): Promise<void> {
  demandRunning(domain);
  const guest = host.guests.get(domain.uuid);
  wentOff(host, domain, how);
  await guest?.stop();
}

/** Asks the guest to go down; whether it does is its own affair. */
export function shutDown(host: SimHost, domain: SimDomain): void {
  demandRunning(domain);
  host.guests.get(domain.uuid)?.shutdown?.();
}

/** As the button on a computer: the machine stays, and who reads its console does too. */
export async function resetDomain(host: SimHost, domain: SimDomain): Promise<void> {
  demandRunning(domain);
  const guest = host.guests.get(domain.uuid);
  host.guests.delete(domain.uuid);
  await guest?.stop();
  if (domain.id >= 0) runGuest(host, domain);
}
