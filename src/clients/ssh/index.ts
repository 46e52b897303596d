/** SSH: commands on other machines, and ways to ports and sockets that only they can reach. Knows nothing of Slipway. */
export { asSocket } from "./as-socket.ts";
export { connectSsh, type SshOptions } from "./connect.ts";
export { connectThrough, type Hop } from "./connect-through.ts";
export type { RunOptions, RunResult, SshConnection, SshSession, TerminalSize } from "./connection.ts";
export { asNetworkError } from "./channel-refusal.ts";
export { namedPlace, needsOpenssh } from "./errors.ts";
export { onlyByProgram } from "./only-by-program.ts";
export { opensshFailed } from "./openssh-failed.ts";
export type { HostTrust } from "./host-check.ts";
export { keyFingerprint, knownHostLine, knownName } from "./known-hosts.ts";
export type { KeySource } from "./private-key.ts";
export { quoteArgument, quoteCommand } from "./quote.ts";
export { readSshConfig } from "./read-config.ts";
export { parseJumps, sshConfigFor, type SshConfig } from "./ssh-config.ts";
export { SharedHop, type SharedHopOptions } from "./shared-hop.ts";
export { sshDial } from "./ssh-dial.ts";
