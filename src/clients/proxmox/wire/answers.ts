/** Proxmox sends numbers as strings, flags as 0, 1 or nothing, and keys in any order; these read them all. */

export type Fields = Record<string, unknown>;

export const asFields = (data: unknown): Fields =>
  typeof data === "object" && data !== null && !Array.isArray(data) ? (data as Fields) : {};

export const asRecords = (data: unknown): Fields[] => (Array.isArray(data) ? data.map(asFields) : []);

export const asText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

export const asNumber = (value: unknown): number => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : 0;
};

export const asFlag = (value: unknown): boolean => value === 1 || value === "1" || value === true;

export const asList = (value: unknown): string[] =>
  asText(value)
    .split(/[,; ]+/)
    .filter((part) => part !== "");

const bytesPerMiB = 1024 ** 2;
export const asMiB = (bytes: unknown): number => Math.floor(asNumber(bytes) / bytesPerMiB);

/** Servers list in an order that varies from call to call; people and tests see one that does not. */
export const sortedBy = <T>(items: T[], keyOf: (item: T) => string | number): T[] =>
  items.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0;
  });
