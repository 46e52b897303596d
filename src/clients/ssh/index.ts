/** SSH: commands on other machines, and ways to ports and sockets that only they can reach. Knows nothing of Slipway. */
export { asSocket } from "./channel/as-socket.ts";
export { connectSsh, type SshOptions } from "./connect.ts";
export { connectThrough, type JumpHost } from "./connect-through.ts";
export type { RunOptions, RunResult, SshConnection, SshSession, TerminalSize } from "./connection.ts";
export { asNetworkError } from "./channel/refusal.ts";
export { namedPlace, needsOpenssh } from "./errors.ts";
export { onlyByProgram } from "./needs-openssh.ts";
export { opensshFailed } from "./openssh.ts";
export type { HostTrust } from "./config/host-check.ts";
export { keyFingerprint, knownHostLine } from "./config/known-hosts.ts";
export type { KeySource } from "./private-key.ts";
export { quoteCommand } from "./quote.ts";
export { readSshConfig } from "./config/read-config.ts";
export { sshConfigFor, type SshConfig } from "./config/ssh-config.ts";
export { SharedJumpHost, type SharedJumpHostOptions } from "./shared-jump-host.ts";
export { sshDial } from "./channel/ssh-dial.ts";
