import { agentCommand, procedures } from "../../../clients/libvirt/wire/index.ts";
import { allAt, readXml } from "../../../lib/index.ts";
import { currentXml, lifecycle, refOf, type SimHost } from "../host.ts";
import { agentSilent, noDomain, noMetadata, operationFailed, operationInvalid } from "../refusal.ts";
import { domainStates, offReasons, type SimDomain } from "../state.ts";
import { served, type ServedCall } from "../wire/call.ts";
import { definedDomain } from "./define-domain.ts";
import { attributeAt, demandTextAt, printed } from "../xml.ts";
import { demandMac } from "./hardware.ts";
import {
  attachDevice,
  change,
  detachDevice,
  growBlock,
  metadataOf,
  nvramOf,
  setCores,
  setMemory,
  sizesOf,
  updateDevice,
  withMetadata,
} from "./devices.ts";
import { cutPower, demandRunning, resetDomain, shutDown, startDomain } from "./power.ts";

export function findDomain(host: SimHost, { uuid, name }: { uuid: string; name: string }): SimDomain {
  const found = host.state.domains[uuid];
  if (!found) throw noDomain("qemu", `no domain with matching uuid '${uuid}' (${name})`);
  return found;
}

const domainNamed = (host: SimHost, name: string): SimDomain => {
  const found = Object.values(host.state.domains).find((domain) => domain.name === name);
  if (!found) throw noDomain("qemu", `no domain with matching name '${name}'`);
  return found;
};

/** Keeps a definition: a new machine, or what one that is there becomes at its next start. */
export function define(host: SimHost, text: string): SimDomain {
  const xml = definedDomain(host, text);
  const [name, uuid] = [demandTextAt(xml, "name"), demandTextAt(xml, "uuid")];
  const namesake = Object.values(host.state.domains).find((domain) => domain.name === name);
  if (namesake && namesake.uuid !== uuid)
    throw operationFailed("domain", `domain '${name}' already exists with uuid ${namesake.uuid}`);
  const known = host.state.domains[uuid];
  if (known && known.name !== name)
    throw operationFailed("domain", `domain '${known.name}' is already defined with uuid ${uuid}`);
  const domain: SimDomain = known ?? {
    uuid,
    name,
    id: -1,
    state: domainStates.off,
    reason: offReasons.unknown,
    startsWithHost: false,
  };
  domain.defined = xml;
  host.state.domains[uuid] = domain;
  host.changed();
  return domain;
}

/** As the driver of QEMU does it: a machine that runs keeps its name. */
function rename(host: SimHost, domain: SimDomain, name: string): void {
  if (domain.id >= 0) throw operationInvalid("qemu", "cannot rename active domain");
  if (Object.values(host.state.domains).some((each) => each.name === name))
    throw operationFailed("domain", `domain with name '${name}' already exists`);
  if (!domain.defined) throw operationInvalid("qemu", "cannot rename a transient domain");
  domain.name = name;
  const children = domain.defined.children.map((child) =>
    child.name === "name" ? { ...child, text: name } : child,
  );
  domain.defined = { ...domain.defined, children };
  host.tell({ domain: refOf(domain), event: lifecycle.defined, detail: 0 });
  host.changed();
}

const undefineNvram = 4 | 8;

export function undefine(host: SimHost, domain: SimDomain, flags: number): void {
  if (!domain.defined) throw operationInvalid("qemu", "cannot undefine transient domain");
  if (nvramOf(domain.defined) !== undefined && (flags & undefineNvram) === 0)
    throw operationInvalid("qemu", "cannot undefine domain with nvram");
  delete domain.defined;
  domain.startsWithHost = false;
  if (domain.id < 0) delete host.state.domains[domain.uuid];
  host.tell({ domain: refOf(domain), event: lifecycle.undefined, detail: 0 });
  host.changed();
}

const inactive = 2;

const lookups: ServedCall[] = [
  served("CONNECT_LIST_ALL_DOMAINS", procedures.listDomains, ({ host }, { flags }) => {
    const items = Object.values(host.state.domains)
      .filter((domain) => isAsked(domain, flags))
      .map(refOf);
    return { items, count: items.length };
  }),
  served("DOMAIN_LOOKUP_BY_NAME", procedures.findDomain, ({ host }, { name }) => ({
    domain: refOf(domainNamed(host, name)),
  })),
  served("DOMAIN_LOOKUP_BY_UUID", procedures.findDomainByUuid, ({ host }, { uuid }) => ({
    domain: refOf(findDomain(host, { uuid, name: "" })),
  })),
  served("DOMAIN_GET_XML_DESC", procedures.domainXml, ({ host }, { domain, flags }) => {
    const found = findDomain(host, domain);
    const xml = (flags & inactive) !== 0 ? (found.defined ?? found.live) : currentXml(found);
    return { text: printed(xml ?? currentXml(found)) };
  }),
  served("DOMAIN_GET_INFO", procedures.domainInfo, ({ host }, { domain }) => {
    const found = findDomain(host, domain);
    return { state: found.state, ...sizesOf(currentXml(found)), cpuNs: 0 };
  }),
  served("DOMAIN_GET_STATE", procedures.domainState, ({ host }, { domain }) => {
    const { state, reason } = findDomain(host, domain);
    return { state, reason };
  }),
  served("DOMAIN_IS_PERSISTENT", procedures.isDomainPersistent, ({ host }, { domain }) => ({
    isOn: findDomain(host, domain).defined !== undefined,
  })),
  served("DOMAIN_SNAPSHOT_LIST_NAMES", procedures.snapshotNames, ({ host }, { domain, most }) => ({
    names: (findDomain(host, domain).snapshots ?? []).slice(0, most),
  })),
  served("DOMAIN_GET_AUTOSTART", procedures.domainAutostart, ({ host }, { domain }) => ({
    isOn: findDomain(host, domain).startsWithHost,
  })),
  served("DOMAIN_INTERFACE_ADDRESSES", procedures.domainAddresses, ({ host }, { domain, source }) => {
    const found = findDomain(host, domain);
    demandRunning(found);
    return { nics: addressesOf(host, found, source) };
  }),
  served("DOMAIN_GET_METADATA", procedures.domainMetadata, ({ host }, { domain, uri = "" }) => {
    const found = metadataOf(currentXml(findDomain(host, domain)), uri);
    if (!found) throw noMetadata("qemu", "Requested metadata element is not present");
    return { text: printed(found) };
  }),
];

/** 1 active, 2 inactive, 4 persistent, 8 transient, 16 running, 64 shut off; of each pair that is asked for, one must fit. */
function isAsked({ id, defined }: SimDomain, flags: number): boolean {
  const [isOn, isKept] = [id >= 0, defined !== undefined];
  const pairs = [
    [1, isOn, 2, !isOn],
    [4, isKept, 8, !isKept],
    [16, isOn, 64, !isOn],
  ] as const;
  return pairs.every(
    ([one, isOne, other, isOther]) =>
      (flags & (one | other)) === 0 || ((flags & one) !== 0 && isOne) || ((flags & other) !== 0 && isOther),
  );
}

const power: ServedCall[] = [
  served("DOMAIN_CREATE_WITH_FLAGS", procedures.startDomain, async ({ host }, { domain }) => {
    const found = findDomain(host, domain);
    await startDomain(host, found);
    return { domain: refOf(found) };
  }),
  served("DOMAIN_DESTROY_FLAGS", procedures.destroyDomain, async ({ host }, { domain }) => {
    const found = findDomain(host, domain);
    demandRunning(found);
    await host.clock.sleep(host.latencies.stopMs);
    await cutPower(host, found, "destroyed");
  }),
  served("DOMAIN_SHUTDOWN_FLAGS", procedures.shutdownDomain, ({ host }, { domain }) =>
    shutDown(host, findDomain(host, domain)),
  ),
  served("DOMAIN_REBOOT", procedures.rebootDomain, ({ host }, { domain }) =>
    resetDomain(host, findDomain(host, domain)),
  ),
  served("DOMAIN_RESET", procedures.resetDomain, ({ host }, { domain }) =>
    resetDomain(host, findDomain(host, domain)),
  ),
  served("DOMAIN_OPEN_CONSOLE", procedures.openConsole, ({ host, openStream }, { domain, flags }) => {
    const found = findDomain(host, domain);
    demandRunning(found);
    let out: { send(bytes: Buffer): void; end(): void } | undefined;
    const leave = host.ports.open(
      found.uuid,
      { heard: (text) => out?.send(Buffer.from(text)), hungUp: () => out?.end() },
      (flags & 1) !== 0,
    );
    openStream({ begin: (stream) => (out = stream), aborted: leave, finished: async () => leave() });
  }),
];

const changes: ServedCall[] = [
  served("DOMAIN_DEFINE_XML_FLAGS", procedures.defineDomain, ({ host }, { xml }) => {
    const domain = define(host, xml);
    host.tell({ domain: refOf(domain), event: lifecycle.defined, detail: 0 });
    return { domain: refOf(domain) };
  }),
  served("DOMAIN_RENAME", procedures.renameDomain, ({ host }, { domain, name = "" }) => {
    rename(host, findDomain(host, domain), name);
    return { result: 0 };
  }),
  served("DOMAIN_UNDEFINE_FLAGS", procedures.undefineDomain, ({ host }, { domain, flags }) =>
    undefine(host, findDomain(host, domain), flags),
  ),
  served("DOMAIN_SET_AUTOSTART", procedures.setDomainAutostart, ({ host }, { domain, isOn }) => {
    findDomain(host, domain).startsWithHost = isOn;
    host.changed();
  }),
  served(
    "DOMAIN_SET_METADATA",
    procedures.setDomainMetadata,
    ({ host }, { domain, xml, prefix, uri = "", flags }) => {
      const given =
        xml === undefined
          ? undefined
          : { ...readXml(xml), namespace: uri, ...(prefix !== undefined && { prefix }) };
      change(findDomain(host, domain), flags, (before) => withMetadata(before, uri, given));
      host.changed();
    },
  ),
  served("DOMAIN_ATTACH_DEVICE_FLAGS", procedures.attachDevice, ({ host }, { domain, xml, flags }) =>
    attachDevice(host, findDomain(host, domain), xml, flags),
  ),
  served("DOMAIN_DETACH_DEVICE_FLAGS", procedures.detachDevice, ({ host }, { domain, xml, flags }) =>
    detachDevice(host, findDomain(host, domain), xml, flags),
  ),
  served("DOMAIN_UPDATE_DEVICE_FLAGS", procedures.updateDevice, ({ host }, { domain, xml, flags }) =>
    updateDevice(host, findDomain(host, domain), xml, flags),
  ),
  served("DOMAIN_SET_VCPUS_FLAGS", procedures.setCpus, ({ host }, { domain, count, flags }) => {
    setCores(findDomain(host, domain), count, flags);
    host.changed();
  }),
  served("DOMAIN_SET_MEMORY_FLAGS", procedures.setMemory, ({ host }, { domain, memoryKiB, flags }) => {
    setMemory(findDomain(host, domain), memoryKiB, flags);
    host.changed();
  }),
  served("DOMAIN_BLOCK_RESIZE", procedures.resizeBlock, async ({ host }, { domain, disk, size, flags }) => {
    const found = findDomain(host, domain);
    demandRunning(found);
    await host.clock.sleep(host.latencies.resizeMs);
    growBlock(host, found, disk, (flags & 1) !== 0 ? size : size * 1024);
  }),
  served("DOMAIN_AGENT_COMMAND", agentCommand, ({ host }, { domain, command }) => {
    const found = findDomain(host, domain);
    const guest = host.guests.get(found.uuid);
    if (!guest?.agentAddresses) throw agentSilent("qemu", "QEMU guest agent is not connected");
    const { execute } = JSON.parse(command) as { execute?: string };
    if (execute === "guest-ping" || execute === "guest-sync")
      return { answer: JSON.stringify({ return: {} }) };
    throw operationFailed(
      "qemu",
      `unable to execute QEMU agent command '${execute ?? ""}': The command ${execute ?? ""} has not been found`,
    );
  }),
];

export const domainCalls: ServedCall[] = [...lookups, ...power, ...changes];

const sources = { lease: 0, agent: 1, neighbours: 2 } as const;

interface NicAddresses {
  name: string;
  mac: string | undefined;
  addresses: { family: number; address: string; prefix: number }[];
}

/** What is known of a guest's addresses, by whom it is asked of. */
function addressesOf(host: SimHost, domain: SimDomain, source: number): NicAddresses[] {
  const told = host.guests.get(domain.uuid)?.agentAddresses;
  if (source === sources.agent) {
    if (!told) throw agentSilent("qemu", "QEMU guest agent is not connected");
    return told().map(({ name, mac, addresses }) => ({ name, mac, addresses: addresses.map(asAddress) }));
  }
  return allAt(currentXml(domain), "devices", "interface").flatMap((nic): NicAddresses[] => {
    const mac = demandMac(nic);
    const given = host.state.given[mac.toLowerCase()];
    // Of leases libvirt knows only its own; whom the host has met it knows in any case.
    const isKnown = source === sources.neighbours || given?.network !== undefined;
    const name = attributeAt(nic, ["target"], "dev") ?? "";
    return given && isKnown ? [{ name, mac, addresses: [asAddress(given.cidr)] }] : [];
  });
}

const asAddress = (cidr: string) => {
  const [address = "", prefix = "32"] = cidr.split("/");
  return { family: 0, address, prefix: Number(prefix) };
};
