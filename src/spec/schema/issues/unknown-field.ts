import type { AddonKind } from "../../addons/index.ts";
import { describeAt } from "./describe-at.ts";
import { adviseName } from "../fields/one-of.ts";
import type { Fault } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";

const otherDistributions = new Set(["rke2", "kubeadm", "k0s", "microk8s", "distribution", "distro"]);
const otherProviders = new Set(["kvm", "qemu", "vmware", "vsphere", "esxi", "hyperv", "xen", "provider"]);

export const isOtherProvider = (name: string): boolean => otherProviders.has(name.toLowerCase());

/** Names that people from other tools write, and what they are called here. */
const otherWords: Record<string, string> = {
  masters: "controlPlanes",
  master: "controlPlanes",
  controllers: "controlPlanes",
  servers: "controlPlanes",
  agents: "workers",
  nodes: "workers",
  cpu: "cores",
  cpus: "cores",
  ram: "memory",
  ip: "address",
  ips: "address",
  id: "vmid",
  vmId: "vmid",
  replicas: "count",
  nameservers: "dns",
  subnet: "cidr",
  host: "on",
  datastore: "storage",
};

/** A field that the schema does not have at this place. */
export function explainUnknownField(path: Path, key: string, addons: readonly AddonKind[]): Fault {
  const isCluster = path.length === 2 && path[0] === "clusters";
  if (isCluster && otherDistributions.has(key.toLowerCase())) {
    return {
      code: "SPEC_UNKNOWN_DISTRIBUTION",
      what: `Distribution "${key}" is not known to this version`,
      next: "Write talos: or k3s:, or linux: for plain machines; these are known so far",
    };
  }
  const isHost = path.length === 2 && path[0] === "hosts";
  if (isHost && isOtherProvider(key)) {
    return {
      code: "SPEC_UNKNOWN_PROVIDER",
      what: `Provider "${key}" is not known to this version`,
      next: "Write proxmox: with url and token, or libvirt: with its uri",
    };
  }
  if (path.length === 4 && path[2] === "addons") {
    return {
      code: "SPEC_UNKNOWN_ADDON",
      what: `Add-on "${key}" is not known`,
      next: adviseName(key, describeAt(path, addons).fields),
    };
  }
  const { fields } = describeAt(path, addons);
  return {
    code: "SPEC_UNKNOWN_FIELD",
    what: `Unknown field "${key}"`,
    next: adviseName(meantBy(key, fields) ?? key, fields),
  };
}

/** The field of this place that a word of another tool stands for. */
export function meantBy(key: string, fields: readonly string[]): string | undefined {
  const word = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
  return word !== undefined && fields.includes(word) ? word : undefined;
}
