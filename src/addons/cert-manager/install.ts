import { SlipwayError } from "../../errors/index.ts";
import { type AddonInstallation, namespacePart, notYet, releasePart } from "../common/index.ts";

const namespace = "cert-manager";

/** Certificates for what runs in the cluster. */
export const installation: AddonInstallation = {
  parts: ({ addon, version }) => [
    namespacePart(namespace),
    releasePart(addon, {
      name: "cert-manager",
      namespace,
      chart: { oci: "oci://quay.io/jetstack/charts/cert-manager" },
      // Its makers write the v, and a registry knows a tag only as it is written.
      version: `v${version}`,
      values: { crds: { enabled: true, keep: true } },
    }),
  ],

  readiness: () => ({
    workloads: ["cert-manager", "cert-manager-cainjector", "cert-manager-webhook"].map((name) => ({
      kind: "Deployment",
      namespace,
      name,
    })),
  }),

  /** The webhook takes orders only once its own certificate has reached the API server. */
  async prove(kube, _input, { signal }) {
    const issuer = {
      apiVersion: "cert-manager.io/v1",
      kind: "Issuer",
      metadata: { name: "slipway-proof", namespace },
      spec: { selfSigned: {} },
    };
    try {
      await kube.apply(issuer, { isForced: true, isDryRun: true, signal });
      return { done: true, value: "an Issuer is accepted" };
    } catch (error) {
      if (error instanceof SlipwayError && !signal.aborted)
        return notYet(`an Issuer is refused: ${error.why}`);
      throw error;
    }
  },
};
