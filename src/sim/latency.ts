/** How long the simulated hypervisor and nodes take for what they do, in milliseconds of the datacenter's clock. */
export interface Latencies {
  /** Any Proxmox API call. */
  apiCallMs: number;
  /** A node fetches an image by URL. */
  downloadMs: number;
  uploadMs: number;
  /** Creating a VM without an imported disk, and one with it. */
  createMs: number;
  importMs: number;
  /** Setting aside room for one disk, while nobody else can on that storage. */
  allocateMs: number;
  resizeMs: number;
  startMs: number;
  stopMs: number;
  /** A terminal on a serial port comes up. */
  consoleMs: number;
  removeMs: number;
  /** A machine is backed up, or made again from a backup. */
  backupMs: number;
  /** How often the manager of highly available machines passes by. */
  haRoundMs: number;
  /** Power-on until Talos answers on port 50000 in maintenance mode. */
  bootMs: number;
  /** SSH answers until cloud-init is done for the first time; later starts take a fifth of it. */
  cloudInitMs: number;
  /** apt reads its lists, or installs one package. */
  packageMs: number;
  /** Config applied until the secure API answers. */
  configureMs: number;
  /** A stream open at that time holds up its server for this long. */
  drainMs: number;
  /** Install to disk (ISO boot only) and the reboot after it. */
  installMs: number;
  rebootMs: number;
  /** A running Talos node is asked to reboot or to shut down until it is gone; its API answers meanwhile. */
  leaveMs: number;
  /** Bootstrap call until etcd is healthy; a further member joining. */
  etcdMs: number;
  etcdJoinMs: number;
  /** etcd healthy until the API server answers. */
  apiServerMs: number;
  /** A machine config answered until the static pods of a control plane are written anew; again as long until the old ones stop. */
  staticPodMs: number;
  /** Such a pod stopped until the one that follows it is ready. */
  staticPodRestartMs: number;
  /** The same for K3s; and an etcd member of it joined until it may vote. */
  k3sApiMs: number;
  learnerMs: number;
  /** API server up until a node has registered, and from there until it is Ready. */
  registerMs: number;
  readyMs: number;
  /** A node pulls an image it does not have; a container starts. */
  imagePullMs: number;
  podStartMs: number;
}

/** As measured or reported on ordinary hardware; the bench and rehearsals use these. */
export const realisticLatencies: Latencies = {
  apiCallMs: 15,
  downloadMs: 38_000,
  uploadMs: 2_000,
  createMs: 1_500,
  importMs: 6_000,
  allocateMs: 200,
  resizeMs: 700,
  startMs: 1_800,
  stopMs: 1_200,
  consoleMs: 1_200,
  removeMs: 1_500,
  backupMs: 40_000,
  haRoundMs: 10_000,
  bootMs: 18_000,
  cloudInitMs: 22_000,
  packageMs: 4_000,
  configureMs: 7_000,
  drainMs: 10_000,
  installMs: 25_000,
  rebootMs: 20_000,
  leaveMs: 30_000,
  etcdMs: 15_000,
  etcdJoinMs: 9_000,
  apiServerMs: 34_000,
  staticPodMs: 2_000,
  staticPodRestartMs: 20_000,
  k3sApiMs: 12_000,
  learnerMs: 15_000,
  registerMs: 6_000,
  readyMs: 12_000,
  imagePullMs: 1_500,
  podStartMs: 500,
};

/** Nothing takes time: for tests of behaviour. */
export const noLatencies = Object.fromEntries(
  Object.keys(realisticLatencies).map((name) => [name, 0]),
) as unknown as Latencies;
