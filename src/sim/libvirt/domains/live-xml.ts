import { firstAt, type XmlElement } from "../../../lib/index.ts";
import { changed, made, withAttributes, withChild, withChildren } from "../xml.ts";
import type { SimHost } from "../host.ts";
import { bridgeOf, networkNamed, plugOf } from "../networks/networks.ts";

/** A definition as it runs: with its number, the names of its devices, and what they are plugged into on the host. */
export function liveXml(host: SimHost, defined: XmlElement, id: number): XmlElement {
  const counts = new Map<string, number>();
  const numbered = (kind: string): number => {
    const number = counts.get(kind) ?? 0;
    counts.set(kind, number + 1);
    return number;
  };
  return changed(withAttributes(defined, { id }), "devices", (devices) =>
    withChildren(
      devices,
      devices.children.map((device) => liveDevice(host, device, id, numbered)),
    ),
  );
}

function liveDevice(
  host: SimHost,
  device: XmlElement,
  id: number,
  numbered: (kind: string) => number,
): XmlElement {
  if (device.name === "interface") {
    const number = numbered("net");
    const plugged = withBridge(host, device);
    const named = withChild(plugged, made("target", { dev: `vnet${id * 4 + number}` }), ["source", "vlan"]);
    return aliased(named, `net${number}`);
  }
  if (device.name === "disk") {
    const target = firstAt(device, "target")?.attributes ?? {};
    return aliased(device, `${target["bus"] ?? "disk"}-${target["dev"] ?? ""}`);
  }
  if (device.name !== "serial" && device.name !== "console") return device;
  const path = `/dev/pts/${id}`;
  const isPty = device.attributes["type"] === "pty";
  const opened = isPty
    ? withChildren(device, [
        made("source", { path }),
        ...device.children.filter(({ name }) => name !== "source"),
      ])
    : device;
  const console = device.name === "console" && isPty ? withAttributes(opened, { tty: path }) : opened;
  return aliased(console, "serial0");
}

const aliased = (device: XmlElement, name: string): XmlElement => withChild(device, made("alias", { name }));

/** Of a network, its bridge is told too. */
function withBridge(host: SimHost, nic: XmlElement): XmlElement {
  const { kind, source } = plugOf(nic);
  const bridge = kind === "network" ? bridgeOf(networkNamed(host, source).xml) : undefined;
  return bridge === undefined ? nic : changed(nic, "source", (each) => withAttributes(each, { bridge }));
}
