/** Where the machines answer first. */
export const sshPort = 22;

/** A command on a node, as a person types it here. */
export const onNode = (cluster: string, node: string, command: string): string =>
  `slipway ssh ${cluster}/${node} -- ${command}`;
