import type { AccessFile } from "../../plan/index.ts";

/** The access file that every distribution with Kubernetes writes. */
export const kubeconfigFile: AccessFile = {
  name: "kubeconfig",
  program: "kubectl",
  variable: "KUBECONFIG",
  place: "~/.kube/config",
};
