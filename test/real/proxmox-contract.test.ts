import { describe } from "vitest";
import { describeProviderContract } from "../../src/providers/contract.ts";
import { realProxmoxSite, withoutProxmox } from "../support/real-proxmox.ts";

describe.skipIf(withoutProxmox !== "")(`a Proxmox of your own (${withoutProxmox || "here"})`, () => {
  describeProviderContract("a real Proxmox", realProxmoxSite, 20 * 60_000);
});
