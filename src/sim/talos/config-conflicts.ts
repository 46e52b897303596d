import { ofKind, textAt, valueAt, type Fields } from "./config-fields.ts";
import type { KubernetesConfig } from "./kubernetes-config.ts";

/** A node has one name, said in one place. */
export function hostnameProblems(main: Fields, others: Fields[]): string[] {
  const document = ofKind(others, "HostnameConfig")[0];
  if (document === undefined) return [];
  const problems: string[] = [];
  const hostname = textAt(document, "hostname");
  const isAuto = valueAt(document, "auto") !== undefined && textAt(document, "auto") !== "off";
  if (isAuto && hostname !== "") {
    problems.push("HostnameConfig: 'auto' and 'hostname' cannot be set at the same time");
  }
  if (hostname !== "" && textAt(main, "machine", "network", "hostname") !== "") {
    problems.push("static hostname is already set in v1alpha1 config");
  }
  if (valueAt(main, "machine", "features", "stableHostname") === true) {
    problems.push("stable hostname is already set in v1alpha1 config");
  }
  return problems;
}

/** From 1.11 on a node looks at the tags of the Kubernetes images: the six minors up to its own go with it. */
export function kubernetesProblems(kubernetes: KubernetesConfig, minor: number): string[] {
  if (minor < 11) return [];
  const newest = minor + 23;
  const oldest = newest - 5;
  const images = { kubelet: kubernetes.kubeletVersion, "kube-apiserver": kubernetes.apiServerVersion };
  return Object.entries(images).flatMap(([name, version]) => {
    const found = Number(version.split(".")[1]);
    if (version === "" || (found >= oldest && found <= newest)) return [];
    const fault = found > newest ? "too new" : "too old";
    return [
      `${name} image is not valid: version of Kubernetes ${version} is ${fault} to be used with Talos 1.${minor}`,
    ];
  });
}
