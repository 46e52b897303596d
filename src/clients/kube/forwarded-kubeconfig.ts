import { parse } from "yaml";
import { forwardLocally, writeYaml, type Dial, type YamlValue } from "../../lib/index.ts";
import { readKubeconfig } from "./kubeconfig.ts";

export interface ForwardedKubeconfig {
  /** The same access, by way of a port of this machine. */
  kubeconfig: string;
  port: number;
  close(): Promise<void>;
}

/** For programs that cannot go where `dial` goes. The server is held to the same certificate as before. */
export async function forwardedKubeconfig(text: string, dial: Dial, port = 0): Promise<ForwardedKubeconfig> {
  const { server, serverName } = readKubeconfig(text);
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const way = await forwardLocally({ host, port: Number(url.port || 443) }, dial, port);
  const config = parse(text) as { clusters: { cluster: Record<string, YamlValue> }[] };
  for (const { cluster } of config.clusters) {
    if (cluster["server"] !== server) continue;
    cluster["server"] = `https://127.0.0.1:${way.port}`;
    cluster["tls-server-name"] = serverName ?? host;
  }
  return { kubeconfig: writeYaml(config), port: way.port, close: way.close };
}
