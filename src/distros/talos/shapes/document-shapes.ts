import { mainShape } from "./cluster-shape.ts";
import type { MachineConfigDocument } from "./config-document.ts";
import {
  duration,
  flag,
  free,
  list,
  open,
  replaced,
  replacedAs,
  text,
  texts,
  type Shape,
  type StructShape,
} from "./shape.ts";

const heading = { apiVersion: text, kind: text, name: text };
const routes = list(
  open({ destination: text, gateway: text, source: text, metric: text, mtu: text, table: text }),
);
const link = {
  up: flag,
  mtu: text,
  addresses: list(open({ address: text, routePriority: flag })),
  routes,
  multicast: flag,
};
const provisioning = open({ diskSelector: open({ match: text }), grow: flag, minSize: text, maxSize: text });

/** Kinds with an order worth keeping or a rule of their own; all others are merged by the general rules. */
const byKind: Record<string, Record<string, Shape>> = {
  HostnameConfig: { auto: flag, hostname: text },
  LinkConfig: link,
  LinkAliasConfig: { selector: open({ match: text }) },
  DHCPv4Config: { routeMetric: text, ignoreHostname: flag, clientIdentifier: text },
  Layer2VIPConfig: { link: text },
  ResolverConfig: {
    nameservers: list(open({ address: text, protocol: text, tlsServerName: text })),
    searchDomains: open({ domains: texts, disableDefault: flag }),
  },
  TimeSyncConfig: {
    enabled: flag,
    bootTimeout: duration,
    ntp: open({ servers: texts, useNTS: flag }),
    ptp: open({ devices: texts }),
  },
  WatchdogTimerConfig: { device: text, timeout: duration },
  VLANConfig: { vlanID: text, vlanMode: text, parent: text, ...link },
  RegistryMirrorConfig: { endpoints: list(open({ url: text, overridePath: flag })), skipFallback: flag },
  VolumeConfig: { provisioning, encryption: open({}), mount: open({}) },
  UserVolumeConfig: {
    volumeType: text,
    provisioning,
    filesystem: open({}),
    encryption: open({}),
    mount: open({}),
  },
  ExtensionServiceConfig: {
    configFiles: list(open({ content: text, mountPath: text }), ["mountPath"]),
    environment: texts,
  },
  NetworkRuleConfig: {
    portSelector: open({ ports: replaced, protocol: text }),
    ingress: replacedAs(list(open({ subnet: text, except: text }))),
  },
  ImageVerificationConfig: { rules: list(replaced, ["image"]) },
  KubeNetworkConfig: { dnsDomain: text, podSubnets: replaced, serviceSubnets: replaced },
  KubeAuditPolicyConfig: { configuration: replaced },
  KubeAuthenticationConfig: { configuration: replaced },
  KubeCredentialProviderConfig: { configuration: replaced },
  KubeStaticPodConfig: { pod: replaced },
  KubeletConfig: { config: free },
  CRIBaseRuntimeSpecConfig: { overrides: replaced },
  BGPInstanceConfig: { advertise: replaced, importRoutes: replaced, neighbors: replaced },
};

/** True for the large document, which has no kind. */
export const isMainDocument = (document: MachineConfigDocument): boolean =>
  document["kind"] === undefined &&
  ["machine", "cluster", "debug", "persist"].some((key) => Object.hasOwn(document, key));

export const shapeOf = (document: MachineConfigDocument): StructShape =>
  isMainDocument(document) || document["kind"] === undefined
    ? mainShape
    : open({ ...heading, ...byKind[String(document["kind"])] });
