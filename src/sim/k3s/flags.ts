/** What both commands understand. */
const shared = `config debug data-dir token token-file server node-name with-node-id node-label node-taint node-ip node-external-ip
node-internal-dns node-external-dns image-credential-provider-bin-dir image-credential-provider-config docker
container-runtime-endpoint default-runtime image-service-endpoint pause-image snapshotter private-registry
disable-default-registry-endpoint airgap-extra-registry system-default-registry resolv-conf flannel-iface flannel-conf
flannel-cni-conf kubelet-arg kube-proxy-arg protect-kernel-defaults selinux lb-server-port rootless prefer-bundled-bin
vpn-auth vpn-auth-file bind-address disable-apiserver-lb enable-pprof nonroot-devices log alsologtostderr v vmodule`;

const serverOnly = `advertise-address advertise-port tls-san tls-san-security https-listen-port cluster-cidr service-cidr
service-node-port-range cluster-dns cluster-domain flannel-backend flannel-ipv6-masq flannel-external-ip
egress-selector-mode servicelb-namespace write-kubeconfig write-kubeconfig-mode write-kubeconfig-group
write-kubeconfig-name helm-job-image helm-controller-arg agent-token agent-token-file cluster-init cluster-reset
cluster-reset-restore-path kube-apiserver-arg etcd-arg kube-controller-manager-arg kube-controller-arg kube-scheduler-arg
kube-cloud-controller-manager-arg kube-cloud-controller-arg datastore-endpoint datastore-cafile datastore-certfile
datastore-keyfile kine-tls etcd-expose-metrics etcd-disable-snapshots etcd-snapshot-name etcd-snapshot-schedule-cron
etcd-snapshot-retention etcd-snapshot-dir etcd-snapshot-compress etcd-s3 etcd-s3-endpoint etcd-s3-endpoint-ca
etcd-s3-skip-ssl-verify etcd-s3-access-key etcd-s3-secret-key etcd-s3-session-token etcd-s3-bucket
etcd-s3-bucket-lookup-type etcd-s3-region etcd-s3-folder etcd-s3-retention etcd-s3-proxy etcd-s3-config-secret
etcd-s3-insecure etcd-s3-timeout default-local-storage-path disable disable-scheduler disable-cloud-controller
disable-kube-proxy disable-network-policy disable-helm-controller disable-apiserver disable-controller-manager
disable-etcd disable-agent embedded-registry supervisor-metrics secrets-encryption secrets-encryption-provider`;

const words = (text: string): string[] => text.split(/\s+/);

/** By command. */
export const knownFlags = {
  server: new Set([...words(shared), ...words(serverOnly)]),
  agent: new Set(words(shared)),
} as const;
