import { connectFactory } from "../../../src/clients/factory/index.ts";
import { connectProxmox, type ProxmoxClient } from "../../../src/clients/proxmox/index.ts";
import { realRandom, type Clock, type Dial } from "../../../src/lib/index.ts";
import {
  type AnyResource,
  type MachineNeeds,
  type Provider,
  type StepContext,
  type Survey,
} from "../../../src/plan/index.ts";
import { proxmoxProvider, type ProxmoxSession } from "../../../src/providers/proxmox/index.ts";
import { VmidLedger } from "../../../src/providers/proxmox/vmids.ts";
import {
  faultBox,
  mappedNetwork,
  noLatencies,
  parseDatacenter,
  type Fault,
  type FaultBox,
  type Latencies,
} from "../../../src/sim/index.ts";
import { startFactory, type SimFactory } from "../../../src/sim/factory/index.ts";
import { internetWithFactories } from "../../../src/sim/datacenter.ts";
import { simulatedInternet, startProxmox, type SimProxmox } from "../../../src/sim/proxmox/index.ts";
import type { Cluster, ProxmoxHost, HostStorages, Node } from "../../../src/spec/index.ts";
import { testTime } from "../test-time.ts";

export interface ProxmoxSiteOptions {
  latencies?: Partial<Latencies>;
  faults?: Fault[];
  /** More of the datacenter file, as YAML at the left margin. */
  datacenter?: string;
  /** Storages, when others than the two usual ones are wanted. */
  storages?: string;
  version?: "9.2" | "8.4";
  /** Of `op@pve!main`, who may do everything, and `poor@pve!main`, who may do what `acl` says. */
  token?: "op@pve!main" | "poor@pve!main";
  /** More lines of the access list. */
  acl?: string;
  /** Hosts of the session; "one" on pve1 and "two" on pve2 unless they are given. */
  hosts?: ProxmoxHost[];
  /** The factory of `siteCluster` is there. `owner` makes it one that gives schematics other ids. */
  factory?: { owner?: string };
}

/** A simulated Proxmox cluster `pve1`, `pve2`, a client and a provider for it. */
export interface ProxmoxSite extends AsyncDisposable {
  proxmox: SimProxmox;
  factory?: SimFactory;
  client: ProxmoxClient;
  dial: Dial;
  provider: ProxmoxSession;
  /** A session that remembers nothing, as the next run of the program has. */
  freshProvider(hosts?: ProxmoxHost[]): ProxmoxSession;
  faults: FaultBox;
  clock: Clock;
  log: string[];
  ctx: StepContext;
  /** A context whose step can be cut. */
  contextFor(signal: AbortSignal): StepContext;
  resource(kind: string, provider?: Provider): AnyResource;
}

const secret = "11111111-2222-4333-8444-555555555555";

const file = (options: ProxmoxSiteOptions): string => `
version: "${options.version ?? "9.2"}"
nodes:
  pve1: { cores: 8, memory: 32GiB, bridges: [vmbr0, vmbr1] }
  pve2: { cores: 8, memory: 32GiB }
storages:
${
  options.storages ??
  `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }`
}
users: { "op@pve": {}, "poor@pve": {} }
tokens:
  "op@pve!main": { secret: "${secret}", privsep: false }
  "poor@pve!main": { secret: "${secret}", privsep: false }
acl:
  - { path: "/", role: Administrator, user: "op@pve" }
${options.acl ?? ""}
${options.datacenter ?? ""}
`;

export async function proxmoxSite(options: ProxmoxSiteOptions = {}): Promise<ProxmoxSite> {
  const faults = faultBox(options.faults ?? []);
  const network = mappedNetwork();
  const { clock, background } = testTime(network);
  const factory =
    options.factory &&
    (await startFactory({
      url: "https://factory.example",
      network,
      clock: background,
      random: realRandom,
      faults,
      ...options.factory,
    }));
  const proxmox = await startProxmox({
    datacenter: parseDatacenter(file(options), "datacenter.yaml"),
    entries: [{ node: "pve1", host: "10.0.0.1", port: 8006 }],
    network,
    clock: background,
    latencies: { ...noLatencies, ...options.latencies },
    faults,
    boot: (_hardware, _disk, power) => ({ stop: async () => undefined, shutdown: () => power.powerOff() }),
    internet: internetWithFactories(factory ? [factory] : [], simulatedInternet),
  });
  const client = connectProxmox({
    url: "https://10.0.0.1:8006",
    token: { id: options.token ?? "op@pve!main", secret },
    trust: { fingerprint: proxmox.fingerprint },
    dial: network.dial,
    clock,
  });
  const openFactory = (url: string) =>
    connectFactory({ url, dial: network.dial, clock, trust: { ca: factory?.ca ?? "" }, timeoutMs: 100_000 });
  const opened = options.hosts ?? [siteHost("one", "pve1"), siteHost("two", "pve2")];
  const freshProvider = (hosts = opened) =>
    proxmoxProvider({
      connect: async () => client,
      slipway: "0.1.0",
      loginKey: async (cluster) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK ${cluster}`,
      ...(factory && { openFactory }),
    }).open(hosts);
  const provider = freshProvider();
  const log: string[] = [];
  return {
    proxmox,
    ...(factory && { factory }),
    client,
    dial: network.dial,
    provider,
    freshProvider,
    faults,
    clock,
    log,
    ctx: stepContext(clock, log, new AbortController().signal),
    contextFor: (signal) => stepContext(clock, log, signal),
    resource: (kind, from = provider) => {
      const found = from.resources.find((each) => each.kind === kind);
      if (!found) throw new Error(`no resource ${kind}`);
      return found;
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await proxmox.close();
      await factory?.close();
    },
  };
}

/** What the engine gives a step, without its events. */
function stepContext(clock: Clock, log: string[], signal: AbortSignal): StepContext {
  return {
    signal,
    clock,
    log: (level, text) => log.push(`${level}: ${text}`),
    progress: (done, total, unit) => log.push(`progress ${done}/${total} ${unit}`),
    holding: (_lock, _places, work) => work(),
    rolling: (_group, work) => work(() => []),
    demandOpen: () => {},
    async waitFor(wait, probe) {
      const until = clock.now() + wait.deadlineMs;
      for (;;) {
        const seen = await probe(signal);
        if (seen.done) return seen.value;
        if (clock.now() > until) throw new Error(`waited too long for ${wait.what}: ${seen.seen}`);
        await clock.sleep(wait.everyMs ?? 500, signal);
      }
    },
  };
}

const at = { file: "slipway.yaml", line: 1, column: 1 };

export const siteStorages = (more: Partial<HostStorages> = {}): HostStorages => ({
  images: "local",
  isos: "local",
  disks: "fast",
  templates: "fast",
  cloudInit: "fast",
  ...more,
});

export const siteHost = (
  name: string,
  node: string,
  more: Partial<ProxmoxHost["proxmox"]> = {},
): ProxmoxHost => ({
  name,
  provider: "proxmox",
  proxmox: {
    url: "https://10.0.0.1:8006",
    node,
    token: { id: "op@pve!main", secret: { env: "PVE_TOKEN" } },
    tls: { system: true },
    storage: siteStorages(),
    ...more,
  },
  overcommit: { memory: 1, cores: 8 },
  at,
});

export const siteNode = (name: string, more: Partial<Node> = {}): Node => ({
  name,
  role: name.startsWith("cp") ? "control-plane" : "worker",
  pool: "control-planes",
  index: 1,
  cores: 2,
  memoryMiB: 2048,
  diskGiB: 20,
  dataDisks: [],
  address: "10.1.0.11",
  mac: "02:aa:bb:cc:dd:01",
  patches: [],
  labels: {},
  taints: {},
  at,
  ...more,
});

export const siteCluster = (nodes: Node[], more: Partial<Cluster> = {}): Cluster => ({
  name: "lab",
  on: ["one"],
  placement: "spread",
  bootSource: { kind: "image" },
  distribution: {
    kind: "talos",
    version: "1.13.9",
    extensions: [],
    kernelArgs: [],
    architecture: "amd64",
    factory: "https://factory.example",
    firstContact: "console",
  },
  kubernetes: "1.36.3",
  network: {
    cidr: "10.1.0.0/24",
    prefix: 24,
    gateway: "10.1.0.1",
    dns: ["10.1.0.1", "1.1.1.1"],
    bridge: "vmbr0",
    podSubnets: ["10.244.0.0/16"],
    serviceSubnets: ["10.96.0.0/12"],
    dnsDomain: "cluster.local",
  },
  endpoint: "https://10.1.0.11:6443",
  nodes,
  patches: [],
  addons: [],
  protect: false,
  tags: [],
  at,
  ...more,
});

/** A look at hosts that found nothing. */
export const emptySurvey = (more: Partial<Survey> = {}): Survey => ({
  machines: [],
  images: [],
  keptDisks: [],
  keptDisksHolders: [],
  unreachable: [],
  hosts: [],
  ...more,
});

/** The rest of a plan, as far as machines ask about it. */
export const siteNeeds = (survey: Survey = emptySurvey()): MachineNeeds => ({
  survey,
  all: [],
  ids: new VmidLedger(survey, []),
  installedStep: (node) => `lab/config/${node}`,
});
