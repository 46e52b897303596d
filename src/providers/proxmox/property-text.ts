/** Proxmox writes lists of settings as `key=value,key=value`. */
export const properties = (text: string): Map<string, string> =>
  new Map(
    text.split(",").map((part) => {
      const [key = "", ...value] = part.split("=");
      return [key, value.join("=")];
    }),
  );
