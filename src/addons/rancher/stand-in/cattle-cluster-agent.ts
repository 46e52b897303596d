import {
  type Cluster,
  digText,
  hasCondition,
  type KubeObject,
  logKey,
  type Outcome,
  type Reach,
  reach,
  resolveName,
  stampOf,
} from "../../../sim/kube/index.ts";
import { variablesIn } from "./import.ts";
import { checksumOf } from "./settings.ts";

/** How long it holds back before it cleans up, so that everybody has heard of it. */
const cleanUpMs = 60_000;

export const isClusterAgent = (container: unknown): boolean =>
  /(^|\/)rancher-agent:/.test(digText(container, "image"));

/** The program that connects a cluster with its Rancher: it gives up when it cannot, and its kubelet starts it again. */
export function runClusterAgent(cluster: Cluster, pod: KubeObject, container: unknown): Outcome {
  const variables = variablesIn(container);
  if (variables["CLUSTER_CLEANUP"] === "true")
    return { exitCode: 0, output: "Starting cluster clean-up\n", tookMs: cleanUpMs };
  const key = logKey(pod.metadata.uid, digText(container, "name"));
  // Once connected it stays: it connects again by itself when the line breaks.
  if (hasCondition(pod, "Ready"))
    return { exitCode: 0, output: cluster.runtime.logs.get(key) ?? "", tookMs: 0 };
  const lines: string[] = [`INFO: Environment: ${environment(variables)}`];
  const isConnected = connect(cluster, pod, variables, lines);
  const output = lines.map((line) => `${line}\n`).join("");
  return isConnected
    ? { exitCode: 0, output, tookMs: 0 }
    : { exitCode: 1, output, tookMs: 0, hasFailed: true };
}

const environment = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** True when it got through; what it did and what kept it stands in `lines`. */
function connect(
  cluster: Cluster,
  pod: KubeObject,
  variables: Record<string, string>,
  lines: string[],
): boolean {
  const server = variables["CATTLE_SERVER"] ?? "";
  const { hostname, port } = URL.canParse(server) ? new URL(server) : { hostname: "", port: "" };
  const get = (path: string) => reach(cluster, pod, hostname, Number(port || 443), path);
  const ping = get("/ping");
  const obstacle = whyNot(ping, hostname);
  if (obstacle !== undefined) {
    lines.push(`ERROR: ${server}/ping is not accessible (${obstacle})`);
    return false;
  }
  lines.push(`INFO: ${server}/ping is accessible`);
  const resolved = resolveName(cluster, pod, hostname);
  if ("addresses" in resolved) lines.push(`INFO: ${hostname} resolves to ${resolved.addresses.join(" ")}`);
  const trouble = distrust(authorityAt(cluster, pod, get("/v3/settings/cacerts")), server, variables);
  if (trouble !== undefined) {
    lines.push(...trouble);
    return false;
  }
  const say = (text: string) => lines.push(`time="${stampOf(cluster.clock.now())}" level=info msg="${text}"`);
  say(`Rancher agent version ${variables["CATTLE_SERVER_VERSION"] ?? ""} is starting`);
  say(`Connecting to wss://${hostname}/v3/connect/register`);
  return true;
}

/** In the words of the curl it asks with. */
function whyNot(reached: Reach, host: string): string | undefined {
  if ("body" in reached)
    return (reached.status ?? 200) >= 400 ? `The requested URL returned error: ${reached.status}` : undefined;
  if (reached.why === "unknown-host") return `Could not resolve host: ${host}`;
  return reached.why === "timeout"
    ? "Connection timed out after 5001 milliseconds"
    : `Failed to connect to ${host} port 443 after 1 ms: Could not connect to server`;
}

/** The text of the authority that the server shows; undefined when it shows something else. */
function authorityAt(cluster: Cluster, pod: KubeObject, reached: Reach): string | undefined {
  if (!("body" in reached) || reached.status !== 200 || !reached.body.startsWith("{")) return undefined;
  const workload = `${pod.metadata.namespace}/${pod.metadata.name}`;
  const isOther = cluster.faults.find("authority-differs", { workload }) !== undefined;
  const { value } = JSON.parse(reached.body) as { value: string };
  return isOther ? `${value}\n# another one\n` : value;
}

/** What it says before it ends because the authority is not the one it was told. */
function distrust(
  authority: string | undefined,
  server: string,
  variables: Record<string, string>,
): string[] | undefined {
  const place = `${server}/v3/settings/cacerts`;
  const told = variables["CATTLE_CA_CHECKSUM"] ?? "";
  if (told === "")
    return variables["STRICT_VERIFY"] === "true"
      ? [
          `level=fatal msg="Get \\"${server}\\": tls: failed to verify certificate: x509: certificate signed by unknown authority"`,
        ]
      : undefined;
  if (authority === "")
    return [
      `ERROR: The environment variable CATTLE_CA_CHECKSUM is set but there is no CA certificate configured at ${place}`,
    ];
  if (authority === undefined || !authority.includes("BEGIN CERTIFICATE"))
    return [`ERROR: Value from ${place} does not look like an x509 certificate`];
  const found = checksumOf(authority);
  return found === told
    ? undefined
    : [
        `INFO: Value from ${place} is an x509 certificate`,
        `ERROR: Configured cacerts checksum (${found}) does not match given --ca-checksum (${told})`,
        `ERROR: Please check if the correct certificate is configured at ${place}`,
      ];
}
