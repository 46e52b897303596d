import { createAuthority, issueCertificate, toNodeKey, type Identity } from "../../pki/index.ts";
import type { NodeConfig } from "./config/node-config.ts";
import type { TalosNode, TalosWorld } from "./node.ts";

/** Longer than the real 24 hours: simulated nodes do not renew while they run. */
const lifetimeMs = 365 * 86_400_000;

/** TLS looks at the wall clock, and a rehearsal's clock may run ahead of it. */
const notBefore = (world: TalosWorld): number => Math.min(world.clock.now(), Date.now()) - 10_000;

/** One authority for the maintenance certificates of a whole datacenter; real nodes make one each, nobody can tell. */
const maintenanceAuthorities = new WeakMap<TalosWorld, Promise<Identity>>();

export async function maintenanceCertificate(node: TalosNode): Promise<Identity> {
  const { world } = node;
  const dates = { notBefore: notBefore(world), lifetimeMs, random: world.random };
  const authority = maintenanceAuthorities.get(world) ?? createAuthority({ kind: "ed25519", ...dates });
  maintenanceAuthorities.set(world, authority);
  return issueCertificate({
    authority: await authority,
    commonName: "maintenance-service.talos.dev",
    usages: ["server"],
    addresses: ["127.0.0.1", "::1"],
    names: [node.hostname()],
    ...dates,
  });
}

/** Keys in the form Node reads, made once per config: a control plane signs for all its workers. */
const authorities = new WeakMap<NodeConfig, { os: Identity; kube: Identity }>();

function authoritiesOf(config: NodeConfig): { os: Identity; kube: Identity } {
  const known = authorities.get(config);
  if (known !== undefined) return known;
  const readable = (pair: Identity): Identity => ({ cert: pair.cert, key: toNodeKey(pair.key) });
  const made = { os: readable(config.osCa), kube: readable(config.kubeCa) };
  authorities.set(config, made);
  return made;
}

/**
 * The certificate of the Talos API: signed by the authority of the applied config, which a worker asks a control plane for.
 * It knows that one by its own certificate, so it must accept who issued it.
 */
export function apiCertificate(node: TalosNode): Promise<Identity> {
  const isAccepted = ({ config }: TalosNode): boolean =>
    config !== undefined && (node.config?.osAccepted ?? []).includes(config.osCa.cert);
  const issuer = node.isControlPlane
    ? node
    : [...(node.cluster?.nodes ?? [])].find((other) => other.isControlPlane && isAccepted(other));
  if (issuer?.config === undefined) throw new Error("no control plane to issue a certificate");
  return issueCertificate({
    authority: authoritiesOf(issuer.config).os,
    commonName: node.hostname(),
    usages: ["server"],
    ...alternativeNames([...node.addresses(), node.hostname(), ...(node.config?.certSans ?? [])]),
    notBefore: notBefore(node.world),
    lifetimeMs,
    random: node.world.random,
  });
}

/** The certificate of the Kubernetes API on this node. */
export function kubeApiCertificate(node: TalosNode): Promise<Identity> {
  const { config } = node;
  if (config === undefined) throw new Error("a node without config has no Kubernetes API");
  const { dnsDomain, serviceSubnet } = config.kubernetes;
  return issueCertificate({
    authority: authoritiesOf(config).kube,
    commonName: "kube-apiserver",
    organizations: ["kube-master"],
    usages: ["server"],
    isKeyEncipherment: true,
    ...alternativeNames([
      ...node.addresses(),
      "127.0.0.1",
      firstServiceAddress(serviceSubnet),
      config.endpoint.hostname,
      node.hostname(),
      "localhost",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      `kubernetes.default.svc.${dnsDomain}`,
      ...(config.vip === undefined ? [] : [config.vip]),
      ...config.apiServerSans,
    ]),
    notBefore: notBefore(node.world),
    lifetimeMs,
    random: node.world.random,
  });
}

/** The client certificate in the kubeconfig a node hands out. */
export function adminCertificate(node: TalosNode): Promise<Identity> {
  const { config } = node;
  if (config === undefined) throw new Error("a node without config has no cluster");
  return issueCertificate({
    authority: authoritiesOf(config).kube,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    isKeyEncipherment: true,
    notBefore: notBefore(node.world),
    lifetimeMs,
    random: node.world.random,
  });
}

function alternativeNames(mixed: string[]): { addresses: string[]; names: string[] } {
  const all = [...new Set(mixed.map((name) => name.replaceAll(/[[\]]/g, "")))];
  const isAddress = (name: string) => /^\d+\.\d+\.\d+\.\d+$/.test(name) || name.includes(":");
  return { addresses: all.filter(isAddress), names: all.filter((name) => name !== "" && !isAddress(name)) };
}

/** `10.96.0.0/12` has its API service at 10.96.0.1. */
function firstServiceAddress(subnet: string): string {
  return (subnet.split("/")[0] ?? "").replace(/\.\d+$/, ".1").replace(/::$/, "::1");
}
