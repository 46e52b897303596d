import { element, firstAt, textAt, writeXml } from "../../../lib/index.ts";
import { bytesOf, inBytes } from "../../../clients/libvirt/wire/index.ts";
import { demandText, readDocument } from "../read-document.ts";

export interface VolumeXml {
  name: string;
  format: "raw" | "qcow2";
  capacityBytes: number;
  /** It takes room as it fills. Always so for qcow2; pools of LVM should not be asked for it, their thin volumes break when full. */
  isThin?: true | undefined;
  /** It holds only what differs from this one. */
  backing?: Backing | undefined;
}

/** Without its format QEMU refuses it, and the host's security drivers cannot find its own base. */
export interface Backing {
  path: string;
  format: string;
}

/** A volume as libvirt tells it. */
export interface FoundVolume {
  name: string;
  /** `raw`, `qcow2`, `iso` and others. */
  format: string;
  path: string;
  capacityBytes: number;
  allocationBytes: number;
  backing?: Backing | undefined;
}

export const volumeXml = (volume: VolumeXml): string =>
  writeXml(
    element("volume", {}, [
      element("name", {}, volume.name),
      inBytes("capacity", volume.capacityBytes),
      // Left out, libvirt takes all of a raw volume at once.
      (volume.isThin || volume.format === "qcow2") && inBytes("allocation", 0),
      element("target", {}, [
        element("format", { type: volume.format }),
        // libvirt's old default is the format of QEMU before 2011.
        volume.format === "qcow2" && element("compat", {}, "1.1"),
      ]),
      volume.backing &&
        element("backingStore", {}, [
          element("path", {}, volume.backing.path),
          element("format", { type: volume.backing.format }),
        ]),
    ]),
  );

export function readVolume(xml: string): FoundVolume {
  const volume = readDocument(xml, "volume");
  const backingPath = textAt(volume, "backingStore", "path");
  return {
    name: demandText(volume, "name"),
    format: firstAt(volume, "target", "format")?.attributes["type"] ?? "raw",
    path: textAt(volume, "target", "path") ?? "",
    capacityBytes: bytesOf(firstAt(volume, "capacity"), "bytes") ?? 0,
    allocationBytes: bytesOf(firstAt(volume, "allocation"), "bytes") ?? 0,
    backing:
      backingPath === undefined
        ? undefined
        : {
            path: backingPath,
            format: firstAt(volume, "backingStore", "format")?.attributes["type"] ?? "raw",
          },
  };
}
