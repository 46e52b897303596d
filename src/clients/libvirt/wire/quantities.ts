import { element, type XmlElement, type XmlPiece } from "../../../lib/index.ts";

const letters = "KMGTPE";

/** Bytes in a unit as libvirt writes it: `KiB` and `k` count in 1024s, `KB` in 1000s. */
function unitBytes(unit: string): number {
  const power = letters.indexOf((unit[0] ?? "").toUpperCase()) + 1;
  return (unit.length === 2 && /B$/i.test(unit) ? 1000 : 1024) ** power;
}

/** `<memory unit='KiB'>4194304</memory>`: what has no unit is in the one that libvirt means there. */
export function bytesOf(amount: XmlElement | undefined, otherwise: "KiB" | "bytes"): number | undefined {
  if (!amount) return undefined;
  const unit = amount.attributes["unit"] ?? otherwise;
  return Number(amount.text.trim()) * (/^b/i.test(unit) ? 1 : unitBytes(unit));
}

export const mebibytesOf = (amount: XmlElement | undefined): number | undefined => {
  const bytes = bytesOf(amount, "KiB");
  return bytes === undefined ? undefined : Math.round(bytes / 2 ** 20);
};

export const inMebibytes = (name: string, amount: number): XmlPiece => element(name, { unit: "MiB" }, amount);
export const inBytes = (name: string, amount: number): XmlPiece => element(name, { unit: "bytes" }, amount);
