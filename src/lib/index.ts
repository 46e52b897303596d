/** Small helpers with no domain word in them. */
export { backoffMs } from "./backoff.ts";
export {
  callsUnderWay,
  listenToCalls,
  tellCall,
  traced,
  whileUnderWay,
  type TracedCall,
} from "./call-trace.ts";
export { realClock, scaledClock, type Clock } from "./clock.ts";
export { connectionWords } from "./connection-words.ts";
export { connectProxy, type ProxyOptions } from "./connect-proxy.ts";
export { destroyLater } from "./destroy-later.ts";
export { dialDirect, WayError, wayOf, type Dial, type Target } from "./dial.ts";
export { forwardLocally } from "./forward.ts";
export { handshake } from "./handshake.ts";
export { keepAnswers } from "./keep-answers.ts";
export { knownSecrets, learnSecret, withoutSecrets } from "./known-secrets.ts";
export { limitTime, TimeLimitError } from "./limit-time.ts";
export { newSshKey, opensshEd25519, sshPublicKey, type SshKeyPair } from "./openssh-key.ts";
export { Places } from "./places.ts";
export type { ProgramOptions, ProgramOutcome, RunProgram } from "./program.ts";
export { realRandom, type Random } from "./random.ts";
export { BodyTooLargeError, readBody } from "./read-body.ts";
export { allAt, firstAt, readXml, textAt, type XmlElement } from "./read-xml.ts";
export { createFile, isDraft, removeFiles, replaceFile, type WriteOptions } from "./replace-file.ts";
export { readSshString, sshString } from "./ssh-string.ts";
export { remotely, RemoteTimer, timingRemote } from "./remote-time.ts";
export { serverName } from "./server-name.ts";
export { readTar, tarHeader, writeTar, type TarFile } from "./tar.ts";
export { stableJson } from "./stable-json.ts";
export { uuidV5 } from "./uuid-v5.ts";
export { firstInvisible, visibleText } from "./visible-text.ts";
export { writeYaml, type YamlValue } from "./write-yaml.ts";
export { element, writeXml, type XmlPiece } from "./xml.ts";
