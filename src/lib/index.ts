/** Small helpers with no domain word in them. */
export { backoffMs } from "./time/backoff.ts";
export { CallTrace, type CallUnderWay, type TracedCall } from "./call-trace.ts";
export { realClock, scaledClock, type Clock } from "./time/clock.ts";
export { connectionText } from "./net/connection-text.ts";
export { connectProxy, type ProxyOptions } from "./net/connect-proxy.ts";
export { destroyLater } from "./net/destroy-later.ts";
export { dialDirect, RouteError, routeOf, type Dial, type Target } from "./net/dial.ts";
export { forwardLocally } from "./net/forward.ts";
export { loopbackServer, type LocalPort } from "./net/loopback-server.ts";
export { given, givenAny, unlessEmpty } from "./given.ts";
export { freeze } from "./freeze.ts";
export { groupBy } from "./group-by.ts";
export { handshake } from "./net/handshake.ts";
export { IdleSockets } from "./net/idle-sockets.ts";
export { memoize } from "./memoize.ts";
export { Redaction } from "./text/redaction.ts";
export { limitTime, TimeLimitError, type Limits } from "./time/limit-time.ts";
export { onAbort } from "./time/on-abort.ts";
export { newSshKey, opensshEd25519, sshPublicKey, type SshKeyPair } from "./crypto/openssh-key.ts";
export { Semaphore } from "./semaphore.ts";
export type { ProgramOptions, ProgramOutcome, RunProgram } from "./program.ts";
export { randomUuid, realRandom, seededRandom, type Random } from "./crypto/random.ts";
export { Ranking } from "./ranking.ts";
export { loadSsh2 } from "./net/load-ssh2.ts";
export { BodyTooLargeError, readBody } from "./net/read-body.ts";
export { allAt, firstAt, readXml, textAt, type XmlElement } from "./text/read-xml.ts";
export {
  createFile,
  isDraft,
  openDraft,
  removeFiles,
  replaceFile,
  type Draft,
  type WriteOptions,
} from "./replace-file.ts";
export { readSshString, sshString } from "./crypto/openssh-key.ts";
export { RemoteTimer } from "./time/remote-timer.ts";
export { bareHost, secureSocket, UntrustedError, type Trust } from "./net/secure-socket.ts";
export { serverName } from "./net/server-name.ts";
export { ByteReader, streamTar, TarError, type StreamedFile } from "./stream-tar.ts";
export { readTar, tarBlock, tarHeader, tarPadding, writeTar, type TarFile } from "./tar.ts";
export { inNextTurn, standingCrypto, subtle, whileTimeStands } from "./time/standing-time.ts";
export { stableJson } from "./text/stable-json.ts";
export { uuidV5 } from "./crypto/uuid-v5.ts";
export { virtualTime, type VirtualTime } from "./time/virtual-time.ts";
export { firstInvisible, visibleText } from "./text/visible-text.ts";
export { writeYaml, type YamlValue } from "./text/write-yaml.ts";
export { element, writeXml, type XmlPiece } from "./text/write-xml.ts";
