import { z } from "zod";
import { oneOf } from "../one-of.ts";
import { chartFieldsOfAddon, chartVersion, ownerField } from "./common-fields.ts";

const withoutOptions = (name: string, description: string) =>
  z.strictObject(chartFieldsOfAddon).meta({ id: `addon-${name}`, description, examples: [{}] });

/** Add-ons with little or nothing to choose. */
export const simpleSchemas = {
  "cert-manager": withoutOptions("cert-manager", "Certificates for what runs in the cluster."),
  "gateway-api-crds": z
    .strictObject({
      channel: oneOf({ description: "Which kinds: the stable ones, or all." }, [
        "standard",
        "experimental",
      ]).prefault("standard"),
      version: chartVersion.optional().meta({
        description: "The version of Gateway API. Left out: the one that Cilium of this cluster wants.",
        examples: ["1.6.1"],
      }),
      ...ownerField,
    })
    .meta({ id: "addon-gateway-api-crds", description: "The kinds of Gateway API.", examples: [{}] }),
  "kubelet-csr-approver": withoutOptions(
    "kubelet-csr-approver",
    "Lets kubelets have certificates of their own, which logs, exec and metrics-server trust.",
  ),
  "metrics-server": withoutOptions(
    "metrics-server",
    "What nodes and pods use; kubelet-csr-approver comes along.",
  ),
  "prometheus-crds": withoutOptions(
    "prometheus-crds",
    "The kinds of the Prometheus Operator, before it comes.",
  ),
  "proxmox-ccm": withoutOptions(
    "proxmox-ccm",
    "Tells Kubernetes which machine and which Proxmox node every node is.",
  ),
};
