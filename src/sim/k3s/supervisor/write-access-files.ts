import { writeYaml } from "../../../lib/index.ts";
import type { Life } from "../life.ts";
import { paths } from "../paths.ts";
import { tokenOf, type Place } from "../take-place.ts";
import { writeToken } from "./token.ts";
import { adminCertificate } from "./leaves.ts";

/** The tokens to join with, then the administrator's kubeconfig: in this order, before etcd is there. */
export async function writeAccessFiles(life: Life, { trust, passwords }: Place): Promise<void> {
  const { host, journal } = life;
  const ca = trust["server-ca.crt"] ?? "";
  const server = `${writeToken("server", passwords.server, ca)}\n`;
  const hasOwn = tokenOf(life, "agent-token") !== undefined;
  host.files.write(paths.token, server, 0o600);
  host.files.write(paths.nodeToken, server, 0o600);
  host.files.write(paths.agentToken, hasOwn ? `${writeToken("node", passwords.agent, ca)}\n` : server, 0o600);
  const from = `https://${life.address}:6443`;
  journal.info(`Server node token is available at ${paths.token}`);
  journal.info(`To join server node to cluster: k3s server -s ${from} -t \${SERVER_NODE_TOKEN}`);
  journal.info(`Agent node token is available at ${paths.agentToken}`);
  journal.info(`To join agent node to cluster: k3s agent -s ${from} -t \${AGENT_NODE_TOKEN}`);
  host.files.write(paths.kubeconfig, await kubeconfig(life, ca, trust), 0o600);
  journal.info(`Wrote kubeconfig ${paths.kubeconfig}`);
  journal.info("Run: k3s kubectl");
}

async function kubeconfig({ host }: Life, ca: string, trust: Record<string, string>): Promise<string> {
  const admin = await adminCertificate(host, trust);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const user = {
    "client-certificate-data": base64(admin.cert),
    "client-key-data": base64(admin.key),
  };
  const cluster = { server: "https://127.0.0.1:6443", "certificate-authority-data": base64(ca) };
  return writeYaml({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "default" },
    clusters: [{ name: "default", cluster }],
    contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
    users: [{ name: "default", user }],
  });
}
