import {
  configFile,
  k3sPaths,
  serverToken,
  agentToken,
  type NodeFile,
} from "../../../src/distros/k3s/index.ts";
import type { K3sBundle } from "../../../src/secrets/index.ts";
import { isK3s, parseFleet, type K3sCluster } from "../../../src/spec/index.ts";
import { subnetOf } from "./network.ts";

/** Three servers, of which each does as little as a control plane can: two cores run all of them at once. And an agent. */
const file = (lab: number, more: string) => `
version: 1
hosts: { pve1: { proxmox: { url: "https://192.0.2.5:8006", token: { id: "slipway@pve!main", secret: { env: S } } } } }
clusters:
  lab:
    from: { existing: { vmid: 400 } }
    k3s:
      version: 1.31.1+k3s1
      keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA5hY2tlZCBieSBub2JvZHkgYW5kIG5vd2hlcmU test]
      disable: [coredns, servicelb, traefik, local-storage, metrics-server, runtimes]
${more}      serverFlags:
        disable-scheduler: true
        disable-cloud-controller: true
        disable-network-policy: true
        disable-helm-controller: true
        etcd-disable-snapshots: true
        flannel-backend: none
    network: { cidr: ${subnetOf(lab)}.0/24, gateway: .1, dns: [.1] }
    controlPlanes: { count: 3, address: .11 }
    workers: { count: 1, address: .14 }
`;

/** `encryption`: of Secrets, in its database. `lab`: whose network it is in. */
export function labCluster({ encryption = false, lab = 0 } = {}): K3sCluster {
  const text = file(lab, encryption ? "      encryption: true\n" : "");
  const parsed = parseFleet({ file: "slipway.yaml", text });
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  const [cluster] = parsed.fleet.clusters;
  if (!cluster || !isK3s(cluster)) throw new Error("the file has a K3s cluster");
  return cluster;
}

/** What Slipway writes for one of the nodes; `change` breaks it on purpose. */
export function configOf(
  cluster: K3sCluster,
  name: string,
  bundle: K3sBundle,
  change: (text: string) => string = (text) => text,
): NodeFile {
  const node = cluster.nodes.find((each) => each.name === name);
  if (!node) throw new Error(`no node ${name}`);
  const tokens = { token: serverToken(bundle), agentToken: agentToken(bundle) };
  return { path: k3sPaths.configFile, mode: "0600", content: change(configFile(cluster, node, tokens)) };
}
