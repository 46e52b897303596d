import { certificates, identity, machineShape } from "./machine-shape.ts";
import {
  duration,
  extraArgs,
  flag,
  free,
  list,
  replaced,
  replacedAs,
  since,
  struct,
  text,
  textMap,
  texts,
  url,
  type StructShape,
} from "./shape.ts";

const resources = struct({ requests: free, limits: free });
const extraVolumes = list(
  struct({ hostPath: text, mountPath: text, readonly: flag }, { hostPath: "", mountPath: "" }),
);

const apiServer = struct({
  image: text,
  extraArgs,
  extraVolumes,
  env: textMap,
  certSANs: texts,
  disablePodSecurityPolicy: flag,
  admissionControl: list(struct({ name: text, configuration: free }, { name: "", configuration: {} }), [
    "name",
  ]),
  auditPolicy: replaced,
  resources,
  authorizationConfig: since(
    9,
    list(struct({ type: text, name: text, webhook: free }, { type: "", name: "" })),
  ),
});

const controllerManager = struct({ image: text, extraArgs, extraVolumes, env: textMap, resources });

const clusterShape = struct({
  id: text,
  secret: text,
  controlPlane: struct({ endpoint: url, localAPIServerPort: text }, { endpoint: null }),
  clusterName: text,
  network: struct(
    {
      cni: struct({
        name: text,
        urls: texts,
        flannel: struct({ extraArgs: texts, kubeNetworkPoliciesEnabled: since(13, flag) }),
      }),
      dnsDomain: text,
      podSubnets: replaced,
      serviceSubnets: replaced,
    },
    { dnsDomain: "", podSubnets: [], serviceSubnets: [] },
  ),
  token: text,
  aescbcEncryptionSecret: text,
  secretboxEncryptionSecret: text,
  ca: identity,
  acceptedCAs: certificates,
  aggregatorCA: identity,
  serviceAccount: replacedAs(struct({ key: text }, { key: "" })),
  apiServer,
  controllerManager,
  proxy: struct({ disabled: flag, image: text, mode: text, extraArgs }),
  scheduler: struct({ image: text, extraArgs, extraVolumes, env: textMap, resources, config: free }),
  discovery: struct(
    {
      enabled: flag,
      registries: struct(
        { kubernetes: struct({ disabled: flag }), service: struct({ disabled: flag, endpoint: text }) },
        { kubernetes: {}, service: {} },
      ),
    },
    { registries: { kubernetes: {}, service: {} } },
  ),
  etcd: struct(
    {
      image: text,
      ca: identity,
      extraArgs,
      subnet: text,
      advertisedSubnets: texts,
      listenSubnets: texts,
    },
    { ca: null },
  ),
  coreDNS: struct({ disabled: flag, image: text }),
  externalCloudProvider: struct({ enabled: flag, manifests: texts }),
  extraManifests: texts,
  extraManifestHeaders: textMap,
  inlineManifests: list(struct({ name: text, contents: text }, { name: "", contents: "" })),
  adminKubeconfig: struct({ certLifetime: duration }),
  allowSchedulingOnMasters: flag,
  allowSchedulingOnControlPlanes: flag,
});

/** The large document without a kind. */
export const mainShape: StructShape = struct(
  { version: text, debug: flag, persist: flag, machine: machineShape, cluster: clusterShape },
  { version: "", machine: null, cluster: null },
);
