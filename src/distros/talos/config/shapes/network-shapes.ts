import { named, single } from "./heading.ts";
import {
  atomic,
  duration,
  flag,
  list,
  part,
  replaced,
  replacedAs,
  since,
  struct,
  text,
  texts,
  url,
  value,
  type Shape,
  type StructShape,
} from "./shape.ts";

const probe = { interval: duration, failureThreshold: text };

const resolver = (domains: Shape): StructShape =>
  single({
    nameservers: list(
      struct({ address: text, protocol: since(14, text), tlsServerName: since(14, text) }, { address: "" }),
    ),
    searchDomains: part({ domains, disableDefault: flag }),
    hostDNS: since(14, part({ enabled: flag, forwardKubeDNSToHost: flag, resolveMemberNames: flag })),
  });

/** Where nodes before 1.14 merge in another way. */
export const networkShapesBefore14: Record<string, StructShape> = { ResolverConfig: resolver(texts) };

/** Documents about names, addresses, routes and rules. */
export const networkShapes: Record<string, StructShape> = {
  HostnameConfig: single({ auto: flag, hostname: text }),
  DHCPv4Config: named({
    routeMetric: text,
    ignoreHostname: flag,
    ignoreRoutes: since(14, flag),
    clientIdentifier: flag,
    duidRaw: text,
  }),
  DHCPv6Config: named({ routeMetric: text, ignoreHostname: flag, clientIdentifier: flag, duidRaw: text }),
  Layer2VIPConfig: named({ link: text }, { link: "" }),
  HCloudVIPConfig: named({ link: text, apiToken: text }, { link: "", apiToken: "" }),
  ResolverConfig: resolver(replaced),
  StaticHostConfig: named({ hostnames: texts }, { hostnames: [] }),
  TimeSyncConfig: single({
    enabled: flag,
    bootTimeout: duration,
    ntp: struct({ servers: texts, useNTS: since(14, flag) }),
    ptp: struct({ devices: texts }),
  }),
  BlackholeRouteConfig: named({ metric: text }),
  RoutingRuleConfig: named(
    {
      src: atomic,
      dst: atomic,
      table: text,
      action: text,
      iifName: text,
      oifName: text,
      fwMark: text,
      fwMask: text,
    },
    { table: "" },
  ),
  NetworkDefaultActionConfig: single({ ingress: text }, { ingress: "" }),
  NetworkRuleConfig: named(
    {
      portSelector: value({ ports: replaced, protocol: text }, { ports: [], protocol: "" }),
      ingress: replacedAs(list(struct({ subnet: text, except: text }, { subnet: "" }))),
    },
    { portSelector: {}, ingress: [] },
  ),
  KubeSpanConfig: single({
    enabled: flag,
    advertiseKubernetesNetworks: flag,
    allowDownPeerBypass: flag,
    harvestExtraEndpoints: flag,
    mtu: flag,
    filters: struct({ endpoints: texts, excludeAdvertisedNetworks: texts }),
  }),
  KubeSpanEndpointsConfig: single({ extraAnnouncedEndpoints: texts }, { extraAnnouncedEndpoints: [] }),
  TCPProbeConfig: named({ ...probe, endpoint: text, timeout: duration }, { endpoint: "" }),
  HTTPProbeConfig: named({ ...probe, url, timeout: duration }, { url: "" }),
  BGPInstanceConfig: named(
    {
      vrf: text,
      localASN: text,
      routerID: atomic,
      routeSource: atomic,
      advertise: replaced,
      multipath: flag,
      maxPaths: text,
      installRoutes: flag,
      importRoutes: replacedAs(
        list(struct({ bgpInstance: text, prefixes: texts }, { bgpInstance: "", prefixes: [] })),
      ),
      neighbors: replacedAs(
        list(
          struct({
            address: text,
            link: text,
            peerASN: text,
            localASN: text,
            passive: flag,
            holdTime: duration,
            bfd: struct({ transmitInterval: duration, receiveInterval: duration, detectMultiplier: text }),
          }),
        ),
      ),
    },
    { localASN: 0 },
  ),
};
