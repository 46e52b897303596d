import {
  connectSsh,
  type RunOptions,
  type RunResult,
  type SshConnection,
} from "../../../src/clients/ssh/index.ts";
import { newSshKey, realRandom } from "../../../src/lib/index.ts";
import {
  faultBox,
  mappedNetwork,
  noLatencies,
  type Fault,
  type FaultBox,
  type HostFault,
  type Latencies,
  type SimNetwork,
} from "../../../src/sim/index.ts";
import type { GuestHardware } from "../../../src/sim/guest.ts";
import { linuxGuests, type LinuxHost, type Program } from "../../../src/sim/linux/index.ts";
import { testTime, type TestTime } from "../test-time.ts";

export interface LinuxHostOptions {
  name?: string;
  address?: string;
  /** Of the image on its disk; decides between Ubuntu and Debian. */
  image?: string;
  programs?: Record<string, Program>;
  faults?: Fault[];
  hostFaults?: HostFault[];
  latencies?: Partial<Latencies>;
  network?: SimNetwork;
}

/** One simulated Linux host with power, and the key that opens it. */
export interface TestLinuxHost {
  host: LinuxHost;
  address: string;
  user: string;
  key: { private: string; public: string };
  network: SimNetwork;
  time: TestTime;
  faults: FaultBox;
  /** What its cloud-init drive says; read at the next start. */
  seed: NonNullable<GuestHardware["seed"]>;
  /** Logs in with the host's key taken as it is. */
  connect(): Promise<SshConnection>;
  /** On one connection that is opened when it is first needed. */
  run(command: readonly string[], options?: RunOptions): Promise<RunResult>;
  root(command: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Waits until its cloud-init has ended. */
  whenSetUp(): Promise<void>;
  /** Cuts the power and gives it back; the disk stays. */
  powerCycle(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Powers a host on and waits until its SSH answers. */
export async function bootLinuxHost(options: LinuxHostOptions = {}): Promise<TestLinuxHost> {
  const { name = "k3s-1", address = "10.40.0.11", network = mappedNetwork() } = options;
  const time = testTime(network);
  const { until, during } = time;
  const key = newSshKey(realRandom);
  const faults = faultBox(options.faults, [], options.hostFaults);
  const guests = linuxGuests({
    network,
    clock: time.background,
    latencies: { ...noLatencies, ...options.latencies },
    faults,
    random: realRandom,
    programs: options.programs ?? {},
  });
  const mac = "BC:24:11:00:00:01";
  const disks = { scsi0: {} };
  const hardware: GuestHardware & Pick<TestLinuxHost, "seed"> = {
    name,
    uuid: "5117a400-0000-4000-8000-0000000000aa",
    host: "hydra",
    cores: 2,
    memoryMiB: 4096,
    nics: [{ mac, bridge: "vmbr0" }],
    disks: [{ slot: "scsi0", sizeBytes: 20 * 2 ** 30 }],
    boot: [{ kind: "disk", slot: "scsi0", image: options.image ?? "noble-server-cloudimg-amd64.img" }],
    seed: {
      hostname: name,
      addresses: [{ mac, cidr: `${address}/24`, gateway: "10.40.0.1" }],
      nameservers: ["10.40.0.1"],
      user: "ops",
      sshKeys: [`${key.public} slipway`],
    },
  };
  const powerOn = () =>
    guests.boot(hardware, disks, {
      powerOff: () => undefined,
      saved: () => undefined,
      print: () => undefined,
    });
  let guest = powerOn();
  let line: Promise<SshConnection> | undefined;
  const find = (): LinuxHost => {
    const host = guests.hosts().get(name);
    if (!host) throw new Error(`${name} has no power: ${JSON.stringify(guests.failures())}`);
    return host;
  };
  const answers = (): Promise<void> =>
    until(() =>
      find()
        .network.listeners()
        .some(({ port }) => port === 22),
    );
  const connect = (): Promise<SshConnection> =>
    during(
      connectSsh({
        host: address,
        user: "ops",
        dial: network.dial,
        keys: [{ name: "test", text: key.private }],
        knownHosts: { files: [], lines: `${address} ${hostKey(find())}\n` },
      }),
    );
  await answers();
  const run = async (command: readonly string[], how?: RunOptions): Promise<RunResult> => {
    const connection = await (line ??= connect());
    return during(connection.run(command, how));
  };
  return {
    get host() {
      return find();
    },
    address,
    user: "ops",
    key,
    network,
    time,
    faults,
    seed: hardware.seed,
    connect,
    run,
    root: (command, how) => run(["sudo", "-n", ...command], how),
    whenSetUp: () => until(() => !find().cloudInit.isRunning),
    async powerCycle() {
      line = undefined;
      await guest.stop();
      guest = powerOn();
      await answers();
    },
    async [Symbol.asyncDispose]() {
      (await line?.catch(() => undefined))?.close();
      await guests.close();
    },
  };
}

/** As known_hosts wants it: type and key. */
export const hostKey = (host: LinuxHost): string =>
  (host.view.files.read("/etc/ssh/ssh_host_ed25519_key.pub") ?? "")
    .toString()
    .split(" ")
    .slice(0, 2)
    .join(" ");
