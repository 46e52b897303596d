import { diskName } from "../resources/hardware-resources.ts";
import type { TalosNode } from "../node.ts";

/** The slot of the disk that the config wants Talos on; absent when the machine has no such disk. */
export function installSlot(node: TalosNode): string | undefined {
  const { disks } = node.hardware;
  const { disk: path, selector } = node.config?.install ?? {};
  if (path !== undefined) {
    return disks.find((disk, index) => `/dev/${diskName(disk.slot, index)}` === path)?.slot;
  }
  const { size = "", serial = "" } = selector ?? {};
  return disks.find((disk) => fitsSize(disk.sizeBytes, size) && (serial === "" || disk.slot === serial))
    ?.slot;
}

const units: Record<string, number> = {
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** `50GB`, `>= 100GB`, `< 1TiB`; nothing fits everything. */
function fitsSize(bytes: number, wanted: string): boolean {
  const [, sign = "==", number = "", unit = ""] =
    /^\s*([<>=]=?)?\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)?B?\s*$/i.exec(wanted) ?? [];
  if (number === "") return true;
  const size = Number(number) * (units[unit] ?? 1);
  if (sign === ">=") return bytes >= size;
  if (sign === "<=") return bytes <= size;
  if (sign === ">") return bytes > size;
  return sign === "<" ? bytes < size : bytes === size;
}
