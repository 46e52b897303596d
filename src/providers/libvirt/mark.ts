import { allAt, element, firstAt, type XmlElement, type XmlPiece } from "../../lib/index.ts";
import type { Role } from "../../spec/index.ts";

/** The namespace of our element in libvirt's `<metadata>`; it marks what is ours. */
export const markNamespace = "urn:slipway:1";
const declaration = { "xmlns:slipway": markNamespace };

/** Whose machine it is. Written in the very call that defines it. */
export interface MachineMark {
  cluster: string;
  node: string;
  role: Role;
  /** File name of the image it was made from. */
  image: string;
  /** Version of Slipway that made it. */
  slipway: string;
  /** What its seed says of its first card: `192.168.1.11/24 through 192.168.1.1`, or `dhcp`. */
  address?: string | undefined;
  /** The file asks that it is not removed. */
  isProtected?: true | undefined;
  /** Hosts that were lost when it was made. */
  insteadOf?: string[] | undefined;
  /** Its data disks in the order of the file. */
  data?: MarkedDisk[] | undefined;
  /** It is being copied here from another host, and is the machine of its node only once that one says `movedTo`. */
  arriving?: Arriving | undefined;
  /** The host that has the machine of its node now: this one is never started again, only removed. */
  movedTo?: string | undefined;
}

/** What a machine was where it comes from. */
export interface Arriving {
  from: string;
  wasRunning: boolean;
  startedWithHost: boolean;
}

export interface MarkedDisk {
  for?: string | undefined;
  /** It goes with its machine. */
  isDisposable?: true | undefined;
}

export interface NetworkMark {
  cluster: string;
  slipway: string;
}

export const machineMark = (mark: MachineMark): XmlPiece =>
  element(
    "slipway:node",
    {
      ...declaration,
      cluster: mark.cluster,
      name: mark.node,
      role: mark.role,
      image: mark.image,
      version: mark.slipway,
      address: mark.address,
      protected: mark.isProtected && "yes",
      "instead-of": mark.insteadOf?.join(" "),
      "arriving-from": mark.arriving?.from,
      "was-running": mark.arriving && yesNo(mark.arriving.wasRunning),
      "started-with-host": mark.arriving && yesNo(mark.arriving.startedWithHost),
      "moved-to": mark.movedTo,
    },
    (mark.data ?? []).map((disk) =>
      element("slipway:disk", { for: disk.for, disposable: disk.isDisposable && "yes" }),
    ),
  );

const yesNo = (is: boolean): string => (is ? "yes" : "no");

export const networkMark = (mark: NetworkMark): XmlPiece =>
  element("slipway:network", { ...declaration, cluster: mark.cluster, version: mark.slipway });

/** The mark in the metadata of a machine; undefined: it is not ours. */
export function readMachineMark(domain: XmlElement): MachineMark | undefined {
  const found = ourElement(domain, "node");
  const { cluster, name, role, image, version } = found?.attributes ?? {};
  if (!found || cluster === undefined || name === undefined) return undefined;
  const data = allAt(found, "disk").map(({ attributes }): MarkedDisk => ({
    for: attributes["for"],
    isDisposable: attributes["disposable"] === "yes" ? true : undefined,
  }));
  return {
    cluster,
    node: name,
    role: role === "worker" ? "worker" : "control-plane",
    image: image ?? "",
    slipway: version ?? "",
    address: found.attributes["address"],
    isProtected: found.attributes["protected"] === "yes" ? true : undefined,
    data: data.length > 0 ? data : undefined,
    insteadOf: found.attributes["instead-of"]?.split(" "),
    ...readMove(found),
  };
}

function readMove({ attributes }: XmlElement): Pick<MachineMark, "arriving" | "movedTo"> {
  const from = attributes["arriving-from"];
  return {
    arriving:
      from === undefined
        ? undefined
        : {
            from,
            wasRunning: attributes["was-running"] === "yes",
            startedWithHost: attributes["started-with-host"] === "yes",
          },
    movedTo: attributes["moved-to"],
  };
}

export function readNetworkMark(network: XmlElement): NetworkMark | undefined {
  const { cluster, version } = ourElement(network, "network")?.attributes ?? {};
  return cluster === undefined ? undefined : { cluster, slipway: version ?? "" };
}

const ourElement = (of: XmlElement, name: string): XmlElement | undefined =>
  firstAt(of, "metadata")?.children.find((each) => each.namespace === markNamespace && each.name === name);
