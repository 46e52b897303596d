import type {
  DistributionDeclaration,
  KubernetesAdvice,
  AnyResource,
  RollingGates,
  Consoles,
  Distribution,
} from "../../plan/index.ts";
import { k3sCaStages, k3sStore } from "../../secrets/index.ts";
import { defaultK3s, type K3sCluster, isK3s, type Cluster } from "../../spec/index.ts";
import type { DistributionWorld } from "../distribution-world.ts";
import { kubeconfigFile, rememberedNodes } from "../kubernetes/index.ts";
import {
  guestOf,
  onNode,
  renewLogin,
  sshPort,
  hostLogs,
  linuxBareMachines,
  linuxSystem,
  systemStep,
  type OpenOwnSsh,
  type OnBareLinux,
} from "../linux-hosts/index.ts";
import { hasFlannel } from "./files/server-settings.ts";
import { unitName, unitPath, type K3sRole } from "./files/unit-file.ts";
import { roleOf, apiStep } from "./step-names.ts";
import { k3sAccessFiles, kubeconfigPath, renewKubeconfig } from "./steps/access-files.ts";
import { k3sArtifacts } from "./steps/artifacts.ts";
import { describeK3s, describeLeftovers } from "./describe.ts";
import { etcdDatabase } from "./etcd-snapshot.ts";
import { certificateLives } from "./health/certificates.ts";
import { inspectNodes } from "./health/inspect.ts";
import { k3sHealth } from "./health/health.ts";
import { K3sAccess, type K3sWorld } from "./k3s-access.ts";
import { k3sKubernetesApi, k3sNodesReady } from "./steps/kubernetes.ts";
import { askNodeStatuses } from "./health/node-status.ts";
import { k3sMembership } from "./steps/members/membership.ts";
import { k3sNames } from "./steps/names.ts";
import { k3sLostDatabase } from "./steps/recovery/lost-database.ts";
import { k3sNode } from "./steps/node/node.ts";
import { k3sNodeObject } from "./steps/members/node-object.ts";
import { k3sPreflight } from "./steps/preflight.ts";
import { k3sSecrets } from "./steps/secrets.ts";
import { k3sCaFiles, k3sCaHandover, k3sCaNode, k3sCaSecrets } from "./rotation/ca-steps.ts";
import { describeCaRotation } from "./rotation/describe-ca-rotation.ts";
import { describeRenewal } from "./rotation/describe-renewal.ts";
import { k3sCertificates, k3sEncryption, k3sRenewedNode, k3sTokens } from "./rotation/renewal-steps.ts";
import { recoverSecrets } from "./rotation/recover-secrets.ts";
import { healthyNodes } from "./health/healthy-nodes.ts";
import { k3sPaths } from "./paths.ts";
import { upgradesOf } from "./release/upgrade-rules.ts";

const accessFiles = [kubeconfigFile];

/** K3s on machines from a cloud image. */
export const k3s: DistributionDeclaration<DistributionWorld> = {
  name: "k3s",
  accessFiles,
  proposal: {
    label: "K3s on Debian, with SSH",
    lines: [
      `k3s: { version: ${defaultK3s}, user: debian }`,
      "image:",
      "  url: https://cloud.debian.org/images/cloud/bookworm/latest/debian-12-genericcloud-amd64.qcow2",
    ],
    linesForExisting: [`k3s: { version: ${defaultK3s} }`],
  },
  facts(cluster) {
    const own = k3sOf(cluster);
    return {
      title: "K3s",
      accessFiles,
      answersAt: sshPort,
      kubernetes: {
        version: own.distribution.version,
        isVersionShared: true,
        hasNetworkInside: hasFlannel(own),
        isVipInPod: true,
        secretsFile: "k3s-secrets.yaml",
        advice: adviceFor(own),
      },
      upgrades: upgradesOf(own),
    };
  },
  open: (world) =>
    k3sDistribution({
      ...world,
      secrets: k3sStore({
        folder: world.folder,
        files: world.secretFiles,
        clock: world.wall,
        random: world.random,
      }),
    }),
};

/** Kubelet, API server and etcd are parts of one service, so one log has what all of them say. */
function adviceFor(cluster: K3sCluster): KubernetesAdvice {
  const on = (node: string, command: string): string => onNode(cluster.name, node, command);
  const unitOn = (name: string): string => {
    const node = cluster.nodes.find((each) => each.name === name);
    return unitName(node ? roleOf(node) : "server");
  };
  const logOf = (node: string): string => on(node, `sudo journalctl -u ${unitOn(node)} -n 200`);
  return {
    kubeletLog: logOf,
    restart: (node) => on(node, "sudo reboot"),
    apiServerLog: logOf,
    // A server defragments its database and disarms its alarms when it starts.
    shrinkEtcd: (node) =>
      `restart K3s on each control plane, one after the other: ${on(node, `sudo systemctl restart ${unitOn(node)}`)}`,
    // By hand its database could be wiped as well, but the first server would found a new cluster then.
    rejoinEtcd: (node) =>
      `Remove the machine of ${node} on its host, then run "slipway up ${cluster.name}", which makes it again and lets it join`,
    // Whoever removes the node removes the member.
    addresses: on("NODE", "ip address"),
    registries: "k3s.registries",
    dns: "K3s brings CoreDNS unless k3s.disable names it",
  };
}

/** K3s as a distribution. */
function k3sDistribution(
  world: K3sWorld & { consoles: Consoles; gates: RollingGates; openOwnSsh: OpenOwnSsh },
): Distribution {
  const access = new K3sAccess(world);
  const resources: AnyResource[] = [
    linuxSystem(access.hosts, world.consoles),
    k3sSecrets(access),
    k3sAccessFiles(access),
    k3sArtifacts(access),
    k3sLostDatabase(access),
    k3sNode(access, world.gates),
    k3sMembership(access),
    k3sKubernetesApi(access),
    k3sNames(access),
    k3sNodesReady(access),
    k3sNodeObject(access),
    k3sCaSecrets(access, world.gates),
    k3sCaHandover(access),
    ...k3sCaStages.map((stage) => k3sCaNode(access, world.gates, stage)),
    k3sCaFiles(access, world.gates),
    k3sRenewedNode(access, world.gates),
    k3sCertificates(access),
    k3sTokens(access),
    k3sEncryption(access),
  ];
  return {
    resources,
    bareMachines: linuxBareMachines(access.hosts, world.openOwnSsh, k3sOnBareLinux),
    describe: async (cluster, machines) => describeK3s(k3sOf(cluster), machines),
    apiStep: (cluster) => apiStep(cluster.name),
    kubeconfig: (cluster) => access.kubeconfig(cluster.name, cluster.endpoint),
    installedStep: (cluster, node) => systemStep(cluster.name, node),
    seedStep: () => undefined,
    describeLeftovers: (cluster, leaving) => describeLeftovers(k3sOf(cluster), leaving),
    preflight: (cluster, existing) => k3sPreflight(access, k3sOf(cluster), existing),
    health: (cluster) => k3sHealth(access, k3sOf(cluster)),
    healthyNodes: (cluster) => healthyNodes(access, k3sOf(cluster)),
    status: (cluster, signal) => askNodeStatuses(access, k3sOf(cluster), signal),
    certificates: (cluster, signal) => certificateLives(access, k3sOf(cluster), signal),
    // A server that comes again is taken out of etcd first; see forget-node.
    remember: async (cluster, signal) =>
      (await access.findBundle(cluster.name))
        ? ((await rememberedNodes(() => access.kube(cluster.name, cluster.endpoint), {
            clock: world.clock,
            signal,
          })) ?? new Map())
        : new Map(),
    inspect: (cluster, signal) => inspectNodes(access, k3sOf(cluster), signal),
    logs: (cluster, signal) =>
      hostLogs(access.hosts, k3sOf(cluster), (node) => [unitName(roleOf(node))], signal),
    readDatabase: (cluster, node, signal) => etcdDatabase(access, k3sOf(cluster), node, signal),
    async renewAccess(cluster) {
      const own = k3sOf(cluster);
      return [
        ...(await renewKubeconfig(access, { cluster: own.name, endpoint: own.endpoint })),
        ...(await renewLogin(
          access.hosts,
          own.nodes.map((node) => guestOf(own, node)),
        )),
      ];
    },
    describeCaRotation: (cluster, described, wanted) =>
      describeCaRotation(access, world.gates, k3sOf(cluster), described, wanted),
    recoverSecrets: (cluster, credential) =>
      recoverSecrets(access, world.openOwnSsh, k3sOf(cluster), credential),
    describeRenewal: (cluster, described, part) =>
      describeRenewal(access, world.gates, k3sOf(cluster), described, part),
    outputs: (cluster) => ({
      endpoint: cluster.endpoint,
      kubeconfig: kubeconfigPath(access, cluster.name),
      ssh: `slipway ssh ${cluster.name}/${cluster.nodes[0]?.name ?? "NODE"}`,
    }),
  };
}

function k3sOf(cluster: Cluster): K3sCluster {
  if (!isK3s(cluster)) throw new Error(`cluster ${cluster.name} does not run K3s`);
  return cluster;
}

const roles: K3sRole[] = ["server", "agent"];

/** What K3s is on a machine that exists, and how it goes from it. */
const k3sOnBareLinux: OnBareLinux = {
  signs: [
    k3sPaths.configFolder,
    k3sPaths.dataFolder,
    "/etc/rancher/rke2",
    "/etc/kubernetes/kubelet.conf",
    ...roles.map(unitPath),
  ],
  async stop(host, signal) {
    for (const role of roles) {
      if (!(await host.exists(unitPath(role), signal))) continue;
      await host.systemctl(["disable", "--now", unitName(role)], signal);
      await host.remove(unitPath(role), signal);
    }
    await host.systemctl(["daemon-reload"], signal);
  },
  async clean(host, signal) {
    const folders = [k3sPaths.configFolder, k3sPaths.dataFolder, "/var/lib/kubelet", "/etc/rancher/node"];
    await host.run(["rm", "-rf", ...folders], { signal, deadlineMs: 300_000 });
    await host.remove(k3sPaths.binary, signal);
  },
};
