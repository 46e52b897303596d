import { stringify } from "yaml";
import { realRandom } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate, toTalosKey, type Identity } from "../../../src/pki/index.ts";

/** The authorities a small cluster needs. */
export interface LabSecrets {
  clusterId: string;
  os: Identity;
  kubernetes: Identity;
}

export interface LabNodeConfig {
  name: string;
  address: string;
  role: "control-plane" | "worker";
  endpoint: string;
  vip?: string;
  cni?: "none";
  labels?: Record<string, string>;
  installImage?: string;
  /** The Talos minor the config is for. */
  minor?: number;
}

const dayMs = 86_400_000;

/** Certificates must not begin later than the second in which they are checked. */
const dates = () => ({ notBefore: Date.now() - 60_000, lifetimeMs: dayMs, random: realRandom });

export async function labSecrets(): Promise<LabSecrets> {
  const os = await createAuthority({ kind: "ed25519", organization: "talos", ...dates() });
  const kubernetes = await createAuthority({ kind: "p256", organization: "kubernetes", ...dates() });
  return { clusterId: realRandom.bytes(32).toString("base64url"), os, kubernetes };
}

export const issueLabClient = (secrets: LabSecrets, roles = ["os:admin"]): Promise<Identity> =>
  issueCertificate({ authority: secrets.os, organizations: roles, usages: ["client"], ...dates() });

/** A Kubernetes version that goes with Talos 1.`minor`. */
const kubernetesFor = (minor: number): string => `v1.${minor + 23}.0`;

/** A machine config with no more in it than a simulated node needs, in the form of contracts 1.12 and 1.13. */
export function labConfig(secrets: LabSecrets, node: LabNodeConfig): string {
  const isControlPlane = node.role === "control-plane";
  const pair = ({ cert, key }: Identity) => ({
    crt: base64(cert),
    key: isControlPlane ? base64(toTalosKey(key)) : "",
  });
  const documents = [
    {
      version: "v1alpha1",
      machine: {
        type: isControlPlane ? "controlplane" : "worker",
        token: "abcdef.0123456789abcdef",
        ca: pair(secrets.os),
        kubelet: { image: `ghcr.io/siderolabs/kubelet:${kubernetesFor(node.minor ?? 13)}` },
        ...(node.installImage !== undefined && { install: { disk: "/dev/sda", image: node.installImage } }),
        ...(node.labels && { nodeLabels: node.labels }),
      },
      cluster: {
        id: secrets.clusterId,
        clusterName: "lab",
        controlPlane: { endpoint: node.endpoint },
        ca: pair(secrets.kubernetes),
        ...(node.cni && { network: { cni: { name: node.cni } } }),
      },
    },
    { ...header("HostnameConfig"), auto: "off", hostname: node.name },
    ...(node.vip === undefined ? [] : [{ ...header("Layer2VIPConfig"), name: node.vip, link: "eth0" }]),
  ];
  return documents.map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}

/** The file talosctl reads. */
export const labTalosconfig = (secrets: LabSecrets, admin: Identity, endpoints: string[]): string =>
  stringify({
    context: "lab",
    contexts: {
      lab: {
        endpoints,
        ca: base64(secrets.os.cert),
        crt: base64(admin.cert),
        key: base64(toTalosKey(admin.key)),
      },
    },
  });

const header = (kind: string) => ({ apiVersion: "v1alpha1", kind });

const base64 = (text: string): string => Buffer.from(text).toString("base64");
