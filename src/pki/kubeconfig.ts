import { writeYaml, type Clock, type Random } from "../lib/index.ts";
import { issueCertificate } from "./certificate.ts";
import type { Identity } from "./identity.ts";

export interface KubeconfigFields {
  cluster: string;
  /** The cluster's endpoint as configured. */
  server: string;
}

export interface IssueOptions {
  clock: Pick<Clock, "now">;
  random: Random;
}

const dayMs = 86_400_000;

/** An administrator of the Kubernetes API, for a year. Ten seconds old at birth, for clocks that lag a little. */
export const issueAdmin = (
  authority: Identity,
  commonName: string,
  { clock, random }: IssueOptions,
): Promise<Identity> =>
  issueCertificate({
    authority,
    commonName,
    organizations: ["system:masters"],
    usages: ["client"],
    isKeyEncipherment: true,
    notBefore: clock.now() - 10_000,
    lifetimeMs: 365 * dayMs,
    random,
  });

/** The file `kubectl` reads, for the administrator. */
export function writeKubeconfig(
  { cluster, server }: KubeconfigFields,
  authority: string,
  admin: Identity,
): string {
  const user = `admin@${cluster}`;
  return writeYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server, "certificate-authority-data": base64(authority) } }],
    users: [
      {
        name: user,
        user: { "client-certificate-data": base64(admin.cert), "client-key-data": base64(admin.key) },
      },
    ],
    contexts: [{ context: { cluster, namespace: "default", user }, name: user }],
    "current-context": user,
  });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
