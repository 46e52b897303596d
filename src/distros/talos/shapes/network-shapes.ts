import { duration, extraArgs as _extraArgs, flag, list, map, part, replaced, replacedAs, since, struct, text, texts, textMap, url, type Shape } from "./shape.ts";

const addresses = list(struct({ address: text, routePriority: flag }, { address: "" }));
const routes = list(
  struct({ destination: text, gateway: text, source: text, metric: text, mtu: text, table: text }),
);
/** What every kind of link can have. */
const link = { up: flag, mtu: text, addresses, routes, multicast: flag };

const bondOptions = `bondMode miimon updelay downdelay useCarrier xmitHashPolicy arpInterval`.split(" ");
const moreBondOptions = `arpValidate arpAllTargets lacpRate failOverMac adSelect adActorSysPrio adUserPortKey adLACPActive
  primaryReselect resendIGMP minLinks lpInterval packetsPerSlave numPeerNotif tlbLogicalLb allSlavesActive peerNotifDelay
  missedMax`.split(/\s+/);
const flags = (names: string[]): Record<string, Shape> => Object.fromEntries(names.map((name) => [name, flag]));
