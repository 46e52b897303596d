/** Small helpers with no domain word in them. */
export { backoffMs } from "./backoff.ts";
export { realClock, scaledClock, type Clock } from "./clock.ts";
export { connectionWords } from "./connection-words.ts";
export { dialDirect, type Dial, type Target } from "./dial.ts";
export { limitTime, TimeLimitError } from "./limit-time.ts";
export { newSshKey, opensshEd25519, sshPublicKey, type SshKeyPair } from "./openssh-key.ts";
export { Places } from "./places.ts";
export type { ProgramOptions, ProgramOutcome, RunProgram } from "./program.ts";
export { realRandom, type Random } from "./random.ts";
export { allAt, firstAt, readXml, textAt, type XmlElement } from "./read-xml.ts";
export { replaceFile } from "./replace-file.ts";
export { readSshString, sshString } from "./ssh-string.ts";
export { remotely, RemoteTimer, timingRemote } from "./remote-time.ts";
export { readTar, writeTar, type TarFile } from "./tar.ts";
export { stableJson } from "./stable-json.ts";
export { uuidV5 } from "./uuid-v5.ts";
export { writeYaml, type YamlValue } from "./write-yaml.ts";
export { element, writeXml, type XmlPiece } from "./xml.ts";
