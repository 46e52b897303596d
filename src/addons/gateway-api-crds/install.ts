import { type AddonInstallation, kindKnown } from "../common/index.ts";
import type { GatewayApiCrdsOptions } from "./options.ts";

/** The kinds of Gateway API, which belong to the whole cluster and so have one owner. */
export const installation: AddonInstallation<GatewayApiCrdsOptions> = {
  parts({ addon, cluster, version }) {
    const file = `${addon.options.channel}-install.yaml`;
    const releases = "https://github.com/kubernetes-sigs/gateway-api/releases/download";
    return [
      {
        kind: "bundle",
        name: "kinds",
        from: cluster.charts
          ? { file: `${cluster.charts.folder}/gateway-api-${version}-${file}` }
          : { url: `${releases}/v${version}/${file}` },
        // Every route of the cluster would go with them.
        isKept: true,
      },
    ];
  },

  readiness: () => ({
    workloads: [],
    objects: ["gatewayclasses", "gateways", "httproutes", "grpcroutes", "referencegrants"].map((plural) =>
      kindKnown(`${plural}.gateway.networking.k8s.io`),
    ),
  }),
};
