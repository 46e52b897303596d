/** The protocol itself, for both ends: packets, how values are written, and the numbers and shapes of calls. */
export { encodeHeader, PacketReader, packetStatus, packetTypes, programs, type Packet } from "./packet.ts";
export {
  agentCommand,
  domain,
  errorBody,
  messages,
  network,
  pool,
  procedures,
  remote,
  volume,
  type Procedure,
} from "./procedures.ts";
export {
  decode,
  encode,
  flag,
  i32,
  list,
  nothing,
  optional,
  record,
  str,
  u32,
  u64,
  uuid,
  type Xdr,
} from "./xdr.ts";
export { bytesOf, inBytes, inMebibytes, mebibytesOf } from "./quantities.ts";
