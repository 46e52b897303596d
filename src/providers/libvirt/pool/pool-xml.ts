import { element, firstAt, textAt, writeXml, type XmlPiece } from "../../../lib/index.ts";
import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { demandText, readDocument } from "../read-document.ts";

export type PoolXml = {
  name: string;
  /** Absent: libvirt makes one up. */
  uuid?: string;
} & (
  | { kind: "dir"; path: string }
  /** A volume group of LVM. */
  | { kind: "logical"; group: string }
  /** `tank/machines`. */
  | { kind: "zfs"; dataset: string }
);

/** A pool as libvirt tells it. */
export interface FoundPool {
  name: string;
  uuid: string;
  /** `dir`, `logical`, `zfs`, or another that was made by hand. */
  kind: string;
  /** The volume group or dataset it stands on. */
  source?: string | undefined;
  /** Where its volumes are found on the host. */
  path: string;
  capacityBytes: number;
  availableBytes: number;
}

export const poolXml = (pool: PoolXml): string =>
  writeXml(
    element("pool", { type: pool.kind }, [
      element("name", {}, pool.name),
      pool.uuid !== undefined && element("uuid", {}, pool.uuid),
      ...placePieces(pool),
    ]),
  );

function placePieces(pool: PoolXml): XmlPiece[] {
  if (pool.kind === "dir") return [element("target", {}, [element("path", {}, pool.path)])];
  if (pool.kind === "zfs") return [element("source", {}, [element("name", {}, pool.dataset)])];
  return [
    element("source", {}, [element("name", {}, pool.group), element("format", { type: "lvm2" })]),
    element("target", {}, [element("path", {}, `/dev/${pool.group}`)]),
  ];
}

export function readPool(xml: string): FoundPool {
  const pool = readDocument(xml, "pool");
  const source = textAt(pool, "source", "name");
  return {
    name: demandText(pool, "name"),
    uuid: demandText(pool, "uuid"),
    kind: pool.attributes["type"] ?? "",
    source,
    path: textAt(pool, "target", "path") ?? "",
    capacityBytes: bytesOf(firstAt(pool, "capacity"), "bytes") ?? 0,
    availableBytes: bytesOf(firstAt(pool, "available"), "bytes") ?? 0,
  };
}
