const bytesPerUnit: Record<string, number> = {
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};

const sizePattern = /^(\d+(?:\.\d+)?) ?(MiB|GiB|TiB|MB|GB|TB)$/;

/** The bytes of `8GiB`, or nothing when it is no size. Units are exact: `8gb` or `8G` could mean either of two. */
export function parseSize(text: string): number | undefined {
  const found = sizePattern.exec(text);
  const unit = bytesPerUnit[found?.[2] ?? ""];
  if (!found || unit === undefined) return undefined;
  return Number(found[1]) * unit;
}

export const toMiB = (bytes: number): number => Math.floor(bytes / 2 ** 20);

/** Disks come in whole GiB; rounded up, so that nobody gets less than asked for. */
export const toGiB = (bytes: number): number => Math.ceil(bytes / 2 ** 30);

export const formatMiB = (mebibytes: number): string =>
  mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${mebibytes} MiB`;

const leastMiB = 512;

/** What somebody who wrote `8gb`, `8G` or `8` may have meant. */
export function explainSize(written: string): string {
  const found = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(written.trim());
  const letter = (found?.[2] ?? "").toUpperCase();
  if (!found || Number(found[1]) === 0) return "Write a number and a unit, like 8GiB or 512MiB";
  const hasNone = letter === "" || letter === "K";
  // Proxmox and libvirt count memory in MiB; of GiB nobody has as many.
  if (hasNone && Number(found[1]) >= leastMiB)
    return `Write ${found[1]}MiB (${formatMiB(Number(found[1]))}), or the number of GiB`;
  const prefix = hasNone ? "G" : letter;
  const binary = `${found[1]}${prefix}iB`;
  const decimal = `${found[1]}${prefix}B`;
  return `Write ${binary} (${toMiB(parseSize(binary) ?? 0)} MiB) or ${decimal} (${toMiB(parseSize(decimal) ?? 0)} MiB)`;
}
