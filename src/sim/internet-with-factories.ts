import type { SimFactory } from "./factory/index.ts";
import type { Internet } from "./proxmox/index.ts";

const diskBytes = 1280 * 2 ** 20;

/** The nodes' way to the web where some addresses are simulated factories: these have only what was registered. */
export const internetWithFactories =
  (factories: SimFactory[], otherwise: Internet): Internet =>
  async (url, options) => {
    const factory = factories.find((each) => url.startsWith(`${each.url}/`));
    if (!factory) return otherwise(url, options);
    const found = factory.fetch(url);
    if (found === "cut") return { problem: "refused", address: new URL(url).host };
    if (found.status !== 200) return { problem: "status", status: found.status, reason: "Not Found" };
    return {
      sizeBytes: found.bytes,
      virtualBytes: diskBytes,
      fileName: url.split("/").at(-1) ?? "",
      mimeType: "application/octet-stream",
    };
  };
