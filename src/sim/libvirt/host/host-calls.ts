import { procedures } from "../../../clients/libvirt/wire/index.ts";
import { noInterface } from "../refusal.ts";
import type { SimHost } from "../host.ts";
import { made, printed } from "../xml.ts";
import { served, type ServedCall } from "../wire/call.ts";
import { capabilities, domainCapabilities, versions } from "./capabilities.ts";

const none = 0;
/** Of libvirt's numbered features: those about how the wire is used. */
const features = new Set([
  // Typed strings, keepalive, close callbacks, the right order of NETWORK_UPDATE.
  9, 10, 15, 16,
]);

interface HostInterface {
  name: string;
  mac: string;
  type: "bridge" | "ethernet";
}

/** Bridges and the cards in them. */
const interfacesOf = ({ file }: SimHost): HostInterface[] => {
  const names = Object.keys(file.bridges);
  const cards = [...new Set(Object.values(file.bridges).flatMap((bridge) => bridge.ports))];
  return [
    ...names.map((name) => ({ name, type: "bridge" as const })),
    ...cards.map((name) => ({ name, type: "ethernet" as const })),
  ].map((each, index) => ({ ...each, mac: `02:00:00:00:01:${(index + 1).toString(16).padStart(2, "0")}` }));
};

const usedMemory = ({ state }: SimHost): number =>
  Object.values(state.domains)
    .filter(({ id }) => id >= 0)
    .reduce(
      (sum, { live }) =>
        sum + Number(live?.children.find(({ name }) => name === "currentMemory")?.text ?? 0) * 1024,
      0,
    );

export const hostCalls: ServedCall[] = [
  served("AUTH_LIST", procedures.authList, () => ({ kinds: [none] })),
  served("AUTH_POLKIT", procedures.authPolkit, () => ({ complete: 1 })),
  served("CONNECT_OPEN", procedures.open, () => undefined),
  served("CONNECT_CLOSE", procedures.close, ({ caller }) => caller.leave()),
  served("CONNECT_SUPPORTS_FEATURE", procedures.supportsFeature, (_context, { feature }) => ({
    supported: features.has(feature) ? 1 : 0,
  })),
  served("CONNECT_GET_VERSION", procedures.hypervisorVersion, () => ({ version: versions.qemu })),
  served("CONNECT_GET_LIB_VERSION", procedures.libvirtVersion, () => ({ version: versions.libvirt })),
  served("CONNECT_GET_HOSTNAME", procedures.hostname, ({ host }) => ({ text: host.name })),
  served("CONNECT_GET_CAPABILITIES", procedures.capabilities, ({ host }) => ({ text: capabilities(host) })),
  served("CONNECT_GET_DOMAIN_CAPABILITIES", procedures.domainCapabilities, ({ host }, asked) => ({
    text: domainCapabilities(host, asked),
  })),
  served("NODE_GET_INFO", procedures.nodeInfo, ({ host }) => ({
    model: "x86_64",
    memoryKiB: Math.round(host.file.memory / 1024),
    cpus: host.file.cores,
    mhz: 2800,
    nodes: 1,
    sockets: 1,
    cores: host.file.cores,
    threads: 1,
  })),
  served("NODE_GET_FREE_MEMORY", procedures.freeMemory, ({ host }) => ({
    bytes: Math.max(0, host.file.memory - usedMemory(host)),
  })),
  served("CONNECT_LIST_ALL_INTERFACES", procedures.listInterfaces, ({ host }) => {
    const items = interfacesOf(host).map(({ name, mac }) => ({ name, mac }));
    return { items, count: items.length };
  }),
  served("INTERFACE_GET_XML_DESC", procedures.interfaceXml, ({ host }, { interface: { name } }) => {
    const found = interfacesOf(host).find((each) => each.name === name);
    if (!found) throw noInterface("interface", `couldn't find interface named '${name}'`);
    return { text: printed(made("interface", { type: found.type, name }, [made("link", { state: "up" })])) };
  }),
  served("CONNECT_DOMAIN_EVENT_CALLBACK_REGISTER_ANY", procedures.watchDomains, ({ caller }, { event }) => ({
    callback: caller.watch(event),
  })),
  served(
    "CONNECT_DOMAIN_EVENT_CALLBACK_DEREGISTER_ANY",
    procedures.unwatchDomains,
    ({ caller }, { callback }) => caller.unwatch(callback),
  ),
];
