import { type Cluster, digList, digText, hasCondition, type KubeStore } from "../../../sim/kube/index.ts";
import { agentName, variablesIn } from "./import.ts";
import { settingOf } from "./settings.ts";
import { rancherNamespace } from "./version.ts";

/** The cluster whose agent is connected to this Rancher with a token; undefined while none is. */
export function connectedCluster(manager: Cluster, token: string): Cluster | undefined {
  if (token === "") return undefined;
  const server = settingOf(manager.store, "server-url");
  return [...manager.site.clusters].find((other) => {
    if (other === manager || !isAgentReady(other)) return false;
    const known = credentialsOf(other.store);
    return known.token === token && known.url === server;
  });
}

const isAgentReady = ({ index }: Cluster): boolean =>
  index
    .inNamespace("v1", "Pod", rancherNamespace)
    .some(
      (pod) =>
        pod.metadata.labels?.["app"] === agentName &&
        pod.metadata.deletionTimestamp === undefined &&
        hasCondition(pod, "Ready"),
    );

/** What the agent of a cluster was given. */
function credentialsOf(store: KubeStore): { url: string; token: string } {
  const place = { namespace: rancherNamespace };
  const deployment = store.find({ apiVersion: "apps/v1", kind: "Deployment", ...place, name: agentName });
  const [container] = digList(deployment, "spec", "template", "spec", "containers");
  const name = variablesIn(container)["CATTLE_CREDENTIAL_NAME"] ?? "";
  const secret = name === "" ? undefined : store.find({ apiVersion: "v1", kind: "Secret", ...place, name });
  const text = (key: string) => Buffer.from(digText(secret, "data", key), "base64").toString("utf8");
  return { url: text("url"), token: text("token") };
}

/** Of a cluster, as its nodes say. */
export const versionOfNodes = (store: KubeStore): string =>
  digText(store.list({ apiVersion: "v1", kind: "Node" })[0], "status", "nodeInfo", "kubeletVersion");
