/** Where K3s keeps what on a host. */
const data = "/var/lib/rancher/k3s";

export const paths = {
  binary: "/usr/local/bin/k3s",
  config: "/etc/rancher/k3s/config.yaml",
  kubeconfig: "/etc/rancher/k3s/k3s.yaml",
  nodePassword: "/etc/rancher/node/password",
  server: `${data}/server`,
  agent: `${data}/agent`,
  tls: `${data}/server/tls`,
  token: `${data}/server/token`,
  nodeToken: `${data}/server/node-token`,
  agentToken: `${data}/server/agent-token`,
  manifests: `${data}/server/manifests`,
  static: `${data}/server/static`,
  etcd: `${data}/server/db/etcd`,
  /** Which member of which etcd this host is: the simulated database itself is shared by its members. */
  etcdData: `${data}/server/db/etcd/member/snap/db`,
  etcdName: `${data}/server/db/etcd/name`,
  tombstone: `${data}/server/db/etcd/tombstone`,
  /** Left by a reset, and taken away by the next usual start. */
  resetFlag: `${data}/server/db/reset-flag`,
  snapshots: `${data}/server/db/snapshots`,
  encryption: `${data}/server/cred/encryption-config.json`,
  agentServers: `${data}/agent/etc/k3s-agent-load-balancer.json`,
} as const;
