import path from "node:path";
import type {
  AccessFile,
  DistributionDeclaration,
  KubernetesAdvice,
  AnyResource,
  RollingGates,
  Distribution,
  MachineSteps,
} from "../../plan/index.ts";
import { caStages, copiedBundle, secretStore } from "../../secrets/index.ts";
import type { DistributionWorld } from "../distribution-world.ts";
import { kubeconfigFile, unlessUnreachable } from "../kubernetes/index.ts";
import { isConfigFile } from "./steps/config-files-want.ts";
import { readPatchFiles } from "./intent/patch-files.ts";
import { renewAccessFiles, talosAccessFiles } from "./steps/access-files.ts";
import { defaultTalos, talosOf, type Cluster } from "../../spec/index.ts";
import { contractOfConfig, readDocuments, talosconfig, type MachineIntent } from "./config/index.ts";
import { renderConfig, TalosAccess, type TalosWorld } from "./talos-access.ts";
import { apiStep, describeTalos, nodesStep, secretsStep } from "./describe.ts";
import { describeLeftovers } from "./describe-leftovers.ts";
import { talosBareMachines } from "./bare-machines.ts";
import { talosDrain } from "./steps/drain.ts";
import { talosEtcd } from "./steps/etcd.ts";
import { talosLostEtcd } from "./steps/recovery/lost-etcd.ts";
import { talosMember } from "./steps/members/leave-etcd.ts";
import { certificateLives } from "./health/certificates.ts";
import { measureEtcd } from "./health/measure-etcd.ts";
import { recoverSecrets } from "./rotation/recover-secrets.ts";
import { inspectNodes } from "./health/inspect.ts";
import { talosHealth } from "./health/health.ts";
import { nodeLogs } from "./health/logs.ts";
import { talosKubernetesApi, talosNodesReady } from "./steps/kubernetes.ts";
import { askNodeStatuses } from "./health/status.ts";
import { talosNodeConfig } from "./steps/node/node-config.ts";
import type { NodeConfigWant } from "./steps/node/node-config-want.ts";
import { talosNodeObject } from "./steps/node-object.ts";
import { rememberNodes } from "./health/remember.ts";
import { countedControlPlanes } from "./steps/members/quorum.ts";
import { caFiles, caNode, caSecrets } from "./rotation/ca-steps.ts";
import { describeCaRotation } from "./rotation/describe-rotation.ts";
import { renewedOtherwise } from "./rotation/errors.ts";
import { talosSecrets } from "./steps/secrets.ts";
import { etcdDatabase } from "./upgrade/etcd-snapshot.ts";
import { findHops } from "./upgrade/hops.ts";
import { nodeReads } from "./upgrade/node-system.ts";
import { talosKubernetes } from "./upgrade/kubernetes/kubernetes.ts";
import { upgradesOf } from "./upgrade/upgrade-path.ts";
import { talosPreparation } from "./upgrade/preparation.ts";
import { rollbackStep, talosRollback } from "./upgrade/rollback.ts";
import { talosSystem } from "./upgrade/system.ts";
import { etcdLeader, healthyNodes } from "./health/healthy-nodes.ts";
import { handOverEtcd, membersOf } from "./steps/members/forfeit-leadership.ts";

const apiPort = 50_000;

const talosconfigFile: AccessFile = {
  name: "talosconfig",
  program: "talosctl",
  variable: "TALOSCONFIG",
  place: "~/.talos/config",
  port: apiPort,
};

const accessFiles = [kubeconfigFile, talosconfigFile];

const withLines = (line: string) => ({ lines: [line], linesForExisting: [line] });

/** Of a rehearsal: nobody waits seconds for a large key that is thrown away. */
const throwawayBits = 1024;

/** Talos Linux: nodes without a shell, set up and asked through an API of their own. */
export const talos: DistributionDeclaration<DistributionWorld> = {
  name: "talos",
  accessFiles,
  isOwnFile: isConfigFile,
  proposal: { label: "Talos: small, without SSH", ...withLines(`talos: { version: ${defaultTalos} }`) },
  facts: (described) => {
    const { name: cluster, kubernetes } = described;
    return {
      title: "Talos",
      accessFiles,
      answersAt: apiPort,
      noShell: {
        why: "it runs Talos, which has neither SSH nor a shell",
        instead: ({ address }) =>
          `Ask it through its API: slipway talosconfig ${cluster} > talosconfig, then talosctl --talosconfig talosconfig -n ${address} dmesg`,
      },
      kubernetes: {
        version: kubernetes,
        isVersionShared: false,
        hasNetworkInside: false,
        secretsFile: "secrets.yaml",
        advice: adviceFor(cluster),
      },
      upgrades: upgradesOf(described),
    };
  },
  open: (world) =>
    talosDistribution({
      ...world,
      secrets: secretStore({
        folder: world.folder,
        files: world.secretFiles,
        clock: world.wall,
        random: world.random,
        rsaBits: world.isRehearsal ? throwawayBits : undefined,
      }),
    }),
};

const adviceFor = (cluster: string): KubernetesAdvice => ({
  kubeletLog: (node) => `talosctl -n ${node} logs kubelet`,
  restart: (node) => `talosctl -n ${node} reboot`,
  apiServerLog: (node) => `talosctl -n ${node} logs -k kube-system/kube-apiserver-${node}:kube-apiserver`,
  shrinkEtcd: (node) =>
    `run "talosctl -n ${node} etcd defrag" on each control plane and "talosctl -n ${node} etcd alarm disarm"`,
  rejoinEtcd: (node) =>
    `Wipe its copy, so that it joins again: talosctl -n ${node} reset --graceful=false --reboot --system-labels-to-wipe EPHEMERAL`,
  addresses: "talosctl get addresses",
  registries: "talos.registries",
  dns: "Talos brings CoreDNS unless a patch switches it off",
  findSecrets: `Take it from a running control plane: slipway adopt ${cluster} --talosconfig FILE`,
});

/** Talos Linux as a distribution. */
function talosDistribution(world: TalosWorld & { gates: RollingGates }): Distribution {
  const access = new TalosAccess(world);
  const reads = nodeReads(access);
  const resources: AnyResource[] = [
    talosSecrets(access),
    talosAccessFiles(access),
    talosPreparation(access, reads),
    talosSystem(access, reads, world.gates),
    talosRollback(access, world.gates),
    talosKubernetes(access, reads),
    talosNodeConfig(access, reads, world.gates),
    talosLostEtcd(access),
    talosEtcd(access),
    talosKubernetesApi(access),
    talosNodesReady(access),
    talosNodeObject(access),
    talosDrain(access),
    talosMember(access),
    caSecrets(access, world.gates),
    ...caStages.map((stage) => caNode(access, world.gates, stage)),
    caFiles(access, world.gates),
  ];
  return {
    resources,
    bareMachines: talosBareMachines(access),
    async describe(cluster, machines) {
      const patchFiles = await readPatchFiles(cluster, path.dirname(cluster.at.file));
      const [contract, members, hops] = await Promise.all([
        runningContract(access, cluster, machines),
        countedControlPlanes(access, cluster, machines),
        findHops(access, cluster, machines),
      ]);
      return describeTalos(cluster, machines, { patchFiles, contract, members, hops });
    },
    firstConfigs: (_cluster, described) =>
      new Map(
        described
          .filter(({ kind }) => kind === "talos/config")
          .map(({ want }) => want as NodeConfigWant)
          .map(({ node, intent }) => [node, intent]),
      ),
    firstConfig: ({ name }, from) => renderConfig(access, name, from as MachineIntent),
    seedStep: (cluster) => (talosOf(cluster).firstContact === "seed" ? secretsStep(cluster.name) : undefined),
    apiStep: (cluster) => apiStep(cluster.name),
    kubeconfig: (cluster) => access.kubeconfig(cluster.name, cluster.endpoint),
    // A worker says nothing between its installation and the day a control plane answers for it.
    installedStep: (cluster) => nodesStep(cluster.name),
    describeLeftovers,
    rollbackStep,
    describeCaRotation: (cluster, described, wanted) =>
      describeCaRotation(access, world.gates, cluster, described, wanted),
    describeRenewal: ({ name }, _described, part) =>
      Promise.reject(renewedOtherwise({ cluster: name, part })),
    preflight: () => [],
    health: (cluster) => talosHealth(access, cluster),
    healthyNodes: (cluster) => healthyNodes(access, cluster),
    leader: (cluster) => etcdLeader(access, cluster),
    handOver: (ctx, cluster, node) => handOverEtcd(access, ctx, membersOf(cluster), node),
    status: (cluster, signal) => askNodeStatuses(access, cluster, signal),
    remember: (cluster, signal) => rememberNodes(access, cluster, signal),
    inspect: (cluster, signal) => inspectNodes(access, cluster, signal),
    logs: (cluster, signal) => nodeLogs(access, cluster, signal),
    async accessFile({ name }, _file, endpoints) {
      const bundle = await world.secrets.find(name);
      const fields = { cluster: name, endpoints, nodes: endpoints.slice(0, 1) };
      return bundle && talosconfig(fields, bundle, access.issuing);
    },
    readDatabase(cluster, name, signal) {
      const node = cluster.nodes.find((each) => each.name === name);
      return (
        node && etcdDatabase(access, { cluster: cluster.name, node: name, address: node.address }, signal)
      );
    },
    copySecrets: ({ name }, text) => copiedBundle(text, name),
    certificates: (cluster, signal) => certificateLives(access, cluster, signal),
    measureDatabase: (cluster, signal) => measureEtcd(access, cluster, signal),
    recoverSecrets: (cluster, credential) => recoverSecrets(access, cluster, credential),
    renewAccess: ({ name, endpoint, nodes }) =>
      renewAccessFiles(access, {
        cluster: name,
        endpoint,
        controlPlanes: nodes.filter(({ role }) => role === "control-plane").map(({ address }) => address),
      }),
    outputs: (cluster) => ({
      endpoint: cluster.endpoint,
      kubeconfig: path.join(access.folderOf(cluster.name), "kubeconfig"),
      talosconfig: path.join(access.folderOf(cluster.name), "talosconfig"),
    }),
  };
}

/**
 * The form of config a cluster already runs with. It is kept when Talos is upgraded: moving to a newer form is a
 * change of its own, asked for in the file. Undefined when no control plane can tell.
 */
async function runningContract(
  access: TalosAccess,
  cluster: Cluster,
  machines: MachineSteps,
): Promise<string | undefined> {
  if (!(await access.findBundle(cluster.name))) return undefined;
  const known = cluster.nodes.filter(
    (node) => node.role === "control-plane" && machines.existing.includes(node.name),
  );
  const limits = { clock: access.world.clock, signal: new AbortController().signal };
  const answers = known.map(({ address }) =>
    unlessUnreachable(limits, () =>
      access.using(cluster.name, address, async (node) => {
        const [config, { version }] = await Promise.all([node.machineConfig(), node.version()]);
        return config === undefined ? undefined : contractOfConfig(readDocuments(config, address), version);
      }),
    ),
  );
  return (await Promise.all(answers)).find((contract) => contract !== undefined);
}
