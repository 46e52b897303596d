/** Proxmox writes lists of settings as `key=value,key=value`; the first may be a value alone. */
export const properties = (text: string): Map<string, string> =>
  new Map(
    text
      .split(",")
      .filter((part) => part !== "")
      .map((part) => {
        const [key = "", ...value] = part.split("=");
        return [key, value.join("=")];
      }),
  );

/** The text again, what stood alone still alone. */
export const propertyText = (found: ReadonlyMap<string, string>): string =>
  [...found].map(([key, value]) => (value === "" ? key : `${key}=${value}`)).join(",");

/** The same settings with some of them otherwise; undefined takes one away. The rest is not ours to change. */
export function withProperties(text: string, changed: Record<string, string | undefined>): string {
  const found = properties(text);
  for (const [key, value] of Object.entries(changed)) {
    if (value === undefined) found.delete(key);
    else found.set(key, value);
  }
  return propertyText(found);
}
