/** Connects the pods with eBPF, and leads to services in place of kube-proxy. */
import { tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import { checkCilium, ciliumWarnings } from "./checks.ts";
import { ciliumSchema, completeCilium } from "./options.ts";

export const cilium = defineAddon({
  name: "cilium",
  title: "Cilium",
  isNetwork: true,
  versions: [
    tested("1.20.1", "1.33", "1.36"),
    tested("1.19.7", "1.32", "1.35"),
    tested("1.18.13", "1.30", "1.33"),
  ],
  schema: ciliumSchema,
  complete: completeCilium,
  facts: ({ kubeProxyReplacement, pools, gatewayApi }) => ({
    replacesKubeProxy: kubeProxyReplacement ? true : undefined,
    serviceAddresses: pools.length > 0 ? pools : undefined,
    gatewayApi: { "1.18": "1.3.0", "1.19": "1.4.0" },
    dependencies: gatewayApi ? ["gateway-api-crds"] : undefined,
  }),
  check: checkCilium,
  warn: ciliumWarnings,
  after: ["gateway-api-crds"],
  loses: "the network of all pods until another one is there and the nodes were restarted",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
