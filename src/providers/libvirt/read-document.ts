import { readXml, textAt, type XmlElement } from "../../lib/index.ts";
import { unreadableXml } from "./errors.ts";

/** Things libvirt describes, by the name of their root element. */
const things = {
  domain: "a machine",
  network: "a network",
  pool: "a storage pool",
  volume: "a volume",
  capabilities: "its host",
  domainCapabilities: "what machines can have",
} as const;

export function readDocument(xml: string, root: keyof typeof things): XmlElement {
  const found = parsed(xml, things[root]);
  if (found.name === root) return found;
  throw unreadableXml({ thing: things[root], reason: `it begins with <${found.name}>, not with <${root}>` });
}

function parsed(xml: string, thing: string): XmlElement {
  try {
    return readXml(xml);
  } catch (cause) {
    throw unreadableXml({ thing, reason: cause instanceof Error ? cause.message : String(cause), cause });
  }
}

/** Text that libvirt never leaves out. */
export function demandText(from: XmlElement, ...way: string[]): string {
  const text = textAt(from, ...way);
  if (text !== undefined) return text;
  const thing = Object.entries(things).find(([root]) => root === from.name)?.[1] ?? from.name;
  throw unreadableXml({ thing, reason: `it has no <${way.join("><")}>` });
}
