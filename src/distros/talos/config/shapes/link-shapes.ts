import { named } from "./heading.ts";
import {
  atomic,
  duration,
  flag,
  list,
  map,
  part,
  since,
  struct,
  text,
  texts,
  type Shape,
  type StructShape,
} from "./shape.ts";

const flags = (names: string): Record<string, Shape> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, flag]));

/** What every kind of link can have. */
const link: Record<string, Shape> = {
  up: flag,
  mtu: text,
  addresses: list(struct({ address: text, routePriority: flag }, { address: "" })),
  routes: list(
    struct({ destination: text, gateway: text, source: text, metric: text, mtu: text, table: text }),
  ),
  multicast: flag,
};

const wireguardPeer = struct({
  publicKey: text,
  presharedKey: text,
  endpoint: text,
  persistentKeepaliveInterval: duration,
  allowedIPs: texts,
});

/** Documents about network links. */
export const linkShapes: Record<string, StructShape> = {
  LinkConfig: named(link),
  LinkAliasConfig: named({ selector: part({ match: atomic }) }),
  DummyLinkConfig: named({ hardwareAddr: text, ...link }),
  VLANConfig: named({ vlanID: text, vlanMode: flag, parent: text, ...link }),
  BondConfig: named({
    hardwareAddr: text,
    links: texts,
    ...flags("bondMode miimon updelay downdelay useCarrier xmitHashPolicy arpInterval"),
    arpIpTargets: texts,
    nsIp6Targets: texts,
    ...flags("arpValidate arpAllTargets lacpRate failOverMac adSelect adActorSysPrio adUserPortKey"),
    ...flags("adLACPActive primaryReselect resendIGMP minLinks lpInterval packetsPerSlave numPeerNotif"),
    ...flags("tlbLogicalLb allSlavesActive peerNotifDelay missedMax"),
    ...link,
  }),
  BridgeConfig: named({
    hardwareAddr: text,
    links: texts,
    stp: part({ enabled: flag }),
    vlan: part({ filtering: flag }),
    ...link,
  }),
  VRFConfig: named({ hardwareAddr: text, links: texts, table: text, ...link }, { table: "" }),
  VethConfig: named({ peer: struct({ name: text, ...link }, { name: "" }), ...link }, { peer: { name: "" } }),
  WireguardConfig: named({
    privateKey: text,
    listenPort: text,
    firewallMark: text,
    peers: list(wireguardPeer),
    ...link,
  }),
  EthernetConfig: named({
    features: map(flag),
    rings: struct(
      flags("rx tx rx-mini rx-jumbo rx-buf-len cqe-size tx-push rx-push tx-push-buf-len tcp-data-split"),
    ),
    channels: struct(flags("rx tx other combined")),
    wakeOnLan: since(12, texts),
  }),
};
