/** `slipway/clients/libvirt`: libvirt's own wire protocol, without its library. Knows nothing of clusters. */
export { libvirtConnector, openLibvirt, parseLibvirtUri, protocolVersion } from "../clients/libvirt/index.ts";
export { SlipwayError } from "../errors/index.ts";
export { CallTrace, dialDirect, realClock } from "../lib/index.ts";
export type * from "../clients/libvirt/index.ts";
export type { ErrorFields, Position } from "../errors/index.ts";
export type { CallUnderWay, Clock, Dial, Target, TracedCall } from "../lib/index.ts";
