/** Where things lie on a node. K3s' own tools and Rancher expect these very places. */
const config = "/etc/rancher/k3s";
const data = "/var/lib/rancher/k3s";

export const k3sPaths = {
  binary: "/usr/local/bin/k3s",
  configFolder: config,
  configFile: `${config}/config.yaml`,
  membershipFile: `${config}/config.yaml.d/10-membership.yaml`,
  registriesFile: `${config}/registries.yaml`,
  /** There from before the first changed file until the node has proved itself: a run that finds it restarts the unit. */
  restartMarker: `${config}/.slipway-restart`,
  kubeconfig: `${config}/k3s.yaml`,
  nodePassword: "/etc/rancher/node/password",
  dataFolder: data,
  /** There once a server has a database; then it neither founds nor joins again. */
  databaseFolder: `${data}/server/db/etcd`,
  /** All databases, with the snapshots of this server. */
  databasesFolder: `${data}/server/db`,
  /** Left by a reset, and taken away by the next usual start. */
  resetFlag: `${data}/server/db/reset-flag`,
  /** Where the snapshot of a backup waits for the reset that uses it. */
  restoredSnapshot: `${data}/server/slipway-restore.db`,
  snapshotsFolder: `${data}/server/db/snapshots`,
  trustFolder: `${data}/server/tls`,
  /** A certificate that is made anew whenever all of a server are. */
  serverLeaf: `${data}/server/tls/client-admin.crt`,
  /** The same on an agent, and the authority it was told of when it started. */
  agentLeaf: `${data}/agent/client-kubelet.crt`,
  agentAuthority: `${data}/agent/server-ca.crt`,
  /** Where new authorities wait to be handed over. */
  stagedTrust: `${data}/server/slipway-rotate-ca`,
  /** `K10…::server:…`, written when K3s starts and when its token is replaced. */
  tokenFile: `${data}/server/token`,
  agentTokenFile: `${data}/server/agent-token`,
  /** With the keys that Secrets are encrypted with. */
  encryptionFile: `${data}/server/cred/encryption-config.json`,
  /** On the first server while certificates are made anew, with a name for that; and on every node that has got its own. */
  certificatesBegun: `${config}/.slipway-certificates-begun`,
  certificatesDone: `${config}/.slipway-certificates-done`,
  /** There while these keys are exchanged; it names the one that was written with before. */
  encryptionMark: `${config}/.slipway-encryption-keys`,
  manifestsFolder: `${data}/server/manifests`,
  kubeVipManifest: `${data}/server/manifests/kube-vip.yaml`,
  imagesFolder: `${data}/agent/images`,
} as const;

/** Where the binary waits before it is moved into place: a running one cannot be written over. */
export const stagedBinary = (version: string): string => `/usr/local/bin/.k3s-${version}`;

/** A file on a node. */
export interface NodeFile {
  path: string;
  /** Octal, as chmod takes it: `0600`. */
  mode: string;
  content: string;
}
