import { describe } from "vitest";
import { describeProviderContract } from "../support/provider-contract.ts";
import { realProxmoxSite, withoutProxmox } from "../support/proxmox/real-server.ts";
import { peers } from "../support/peers.ts";

describe.skipIf(withoutProxmox !== "")(`a Proxmox of your own (${withoutProxmox || "here"})`, peers, () => {
  describeProviderContract("a real Proxmox", realProxmoxSite, 20 * 60_000);
});
