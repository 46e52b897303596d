import type { Affiliate } from "../etcd/discovery.ts";
import { hardwareResources } from "./hardware-resources.ts";
import type { NodeResource } from "./node-resource.ts";
import type { TalosNode } from "../node.ts";
import { allAliases, resourceKindRows } from "./resource-kinds.ts";
import { specProto } from "./spec-proto.ts";
import { bootstrapManifests, staticPod, staticPodStatus } from "../kubernetes/cluster-objects.ts";
import { staticApps } from "../kubernetes/static-pods.ts";

/** What a node says about itself at this moment, of one type. Only the group with that type is worked out. */
export function nodeResources(node: TalosNode, type: string): NodeResource[] {
  const group = groups.find(({ suffix }) => suffix.test(type));
  return (group?.make(node) ?? []).filter((resource) => resource.type === type);
}

const definitions: NodeResource[] = resourceKindRows.map((kind) => {
  const { display, aliases, all } = allAliases(kind);
  const printColumns = kind.columns.map(([name, jsonPath]) => ({ name, jsonPath }));
  return {
    type: "ResourceDefinitions.meta.cosi.dev",
    id: kind.type.toLowerCase(),
    spec: {
      type: kind.type,
      displayType: display,
      defaultNamespace: kind.namespace,
      aliases,
      allAliases: all,
      printColumns,
      sensitivity: kind.isSensitive ? "sensitive" : undefined,
    },
    proto: specProto.resourceDefinition({
      resourceType: kind.type,
      displayType: display,
      defaultNamespace: kind.namespace,
      aliases,
      allAliases: all,
      printColumns,
      sensitivity: kind.isSensitive ? 1 : 0,
    }),
  };
});

function systemResources(node: TalosNode): NodeResource[] {
  const unmet = node.unmet();
  const isReady = unmet.length === 0;
  return [
    {
      type: "MachineStatuses.runtime.talos.dev",
      id: "machine",
      spec: { stage: node.stage, status: { ready: isReady, unmetConditions: unmet } },
      proto: specProto.machineStatus(node.stage, isReady, unmet),
    },
    { type: "Versions.runtime.talos.dev", id: "version", spec: { version: `v${node.disk.version}` } },
    {
      type: "BootIDs.runtime.talos.dev",
      id: "boot-id",
      spec: { bootID: node.disk.bootId },
      proto: specProto.bootId({ bootId: node.disk.bootId }),
    },
    {
      type: "TimeStatuses.v1alpha1.talos.dev",
      id: "node",
      spec: { synced: true, epoch: 1, syncDisabled: false },
    },
    ...configResources(node),
    ...extensionResources(node),
    ...node.services.list().map((service) => ({
      type: "Services.v1alpha1.talos.dev",
      id: service.id,
      spec: {
        running: service.state === "Running",
        healthy: service.isHealthy === true,
        unknown: service.isHealthy === undefined,
      },
    })),
  ];
}

function configResources(node: TalosNode): NodeResource[] {
  const { config } = node;
  if (config === undefined) return [];
  const stored = (id: string, text: string) => ({
    type: "MachineConfigs.config.talos.dev",
    id,
    // The whole config stands in the spec as one string.
    spec: text,
    annotations: { "talos.dev/yaml-spec": "true" },
    updatedAt: node.configuredAt,
    proto: specProto.machineConfig(text),
  });
  return [
    { type: "MachineTypes.config.talos.dev", id: "machine-type", spec: config.role },
    stored("v1alpha1", config.text),
    ...(node.minor < 10 ? [] : [stored("persistent", node.disk.config ?? config.text)]),
  ];
}

/** Which extensions the image has cannot be told from the schematic's id; the id itself can. */
const extensionResources = (node: TalosNode): NodeResource[] => [
  {
    type: "ExtensionStatuses.runtime.talos.dev",
    id: "0",
    spec: {
      image: "0.sqsh",
      metadata: {
        name: "schematic",
        version: node.disk.schematic,
        author: "Image Factory",
        description: "Virtual extension which specifies the schematic of the image built with Image Factory.",
      },
    },
  },
];

function kubernetesResources(node: TalosNode): NodeResource[] {
  const { config, cluster } = node;
  if (config === undefined || cluster === undefined) return [];
  const nodename = node.hostname();
  const state = node.kubeNode();
  const isServing = cluster.apiServers.has(node);
  const manifests = {
    cniName: config.kubernetes.cni,
    clusterDomain: config.kubernetes.dnsDomain,
    proxyEnabled: config.kubernetes.hasProxy,
    coreDnsEnabled: config.kubernetes.hasCoreDns,
    flannelEnabled: config.kubernetes.cni === "flannel",
  };
  return [
    {
      type: "Nodenames.kubernetes.talos.dev",
      id: "nodename",
      spec: { nodename },
      proto: specProto.nodename({ nodename }),
    },
    ...(state === "missing"
      ? []
      : [
          {
            type: "NodeStatuses.kubernetes.talos.dev",
            id: nodename,
            spec: {
              nodename,
              nodeReady: state === "ready",
              unschedulable: false,
              labels: config.kubernetes.labels,
            },
          },
        ]),
    ...(node.isControlPlane
      ? [
          {
            type: "BootstrapManifestsConfigs.kubernetes.talos.dev",
            id: "manifests",
            spec: { ...manifests, coreDNSEnabled: manifests.coreDnsEnabled },
            proto: specProto.bootstrapManifests(manifests),
          },
          ...bootstrapManifests(config.kubernetes).map((manifest, index) => ({
            type: "Manifests.kubernetes.talos.dev",
            id: `${String(index).padStart(2, "0")}-${String(manifest.metadata?.name)}`,
            spec: [manifest],
          })),
        ]
      : []),
    ...(node.staticPods === undefined ? [] : staticApps).map((app) => {
      const pod = staticPod(node, app);
      return {
        type: "StaticPods.kubernetes.talos.dev",
        id: app,
        updatedAt: node.staticPods?.writtenAt ?? node.bootedAt,
        spec: { ...pod, metadata: { ...pod.metadata, name: app } },
      };
    }),
    ...staticApps
      .filter((app) => isServing && node.staticPods?.isRunning(app))
      .map((app) => {
        const status = staticPodStatus(node, app);
        return {
          type: "StaticPodStatuses.kubernetes.talos.dev",
          id: `kube-system/${app}-${nodename}`,
          spec: status,
          proto: specProto.staticPodStatus(status),
        };
      }),
  ];
}

const groups: { suffix: RegExp; make(node: TalosNode): NodeResource[] }[] = [
  {
    suffix: /\.cosi\.dev$/,
    make: (node) => definitions.filter((_, index) => (resourceKindRows[index]?.since ?? 0) <= node.minor),
  },
  { suffix: /\.(cluster|etcd)\.talos\.dev$/, make: clusterResources },
  { suffix: /\.kubernetes\.talos\.dev$/, make: kubernetesResources },
  { suffix: /\.(net|block|hardware)\.talos\.dev$/, make: hardwareResources },
  { suffix: /\.(runtime|config|v1alpha1)\.talos\.dev$/, make: systemResources },
];

/** What a node knows of its cluster: the members discovery tells, and its own place in etcd. */
function clusterResources(node: TalosNode): NodeResource[] {
  const { cluster, config } = node;
  if (cluster === undefined || config === undefined) return [];
  const known = config.hasDiscovery ? cluster.discovery.members(cluster.nodes, node.world.clock.now()) : [];
  const memberId = node.disk.etcdMemberId;
  return [
    ...known.map(member),
    ...(node.isControlPlane && memberId !== undefined
      ? [{ type: "EtcdMembers.etcd.talos.dev", id: "local", spec: { memberID: memberId } }]
      : []),
  ];
}

const member = (affiliate: Affiliate): NodeResource => ({
  type: "Members.cluster.talos.dev",
  id: affiliate.hostname,
  spec: {
    ...affiliate,
    controlPlane: affiliate.machineType === "controlplane" ? { port: 6443 } : undefined,
  },
  proto: specProto.member(affiliate),
});
