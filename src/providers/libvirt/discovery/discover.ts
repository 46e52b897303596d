import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import type { Asking, Discovered, DiscoveredNetwork, Discovery } from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import { gibOfBytes, unlessMissing } from "../pool/open-pool.ts";
import { readPool } from "../pool/pool-xml.ts";
import { networksOn } from "./networks.ts";

export interface DiscoveryWorld {
  /** The caller closes it. */
  open(uri: string): Promise<LibvirtClient>;
}

const thisMachine = "qemu:///system";
const ownPool = { name: "slipway", path: "/var/lib/libvirt/slipway" };

/** A machine with libvirt that no file names yet: this one, or one reached by SSH. */
export const libvirtDiscovery = (world: DiscoveryWorld): Discovery => ({
  kind: "libvirt" satisfies LibvirtHost["provider"],
  label: "libvirt with KVM, on this machine or by SSH",
  async discover(asking) {
    const uri = uriOf(
      await asking.ask({
        key: "address",
        text: "Where libvirt is: this machine, or USER@HOST to go by SSH",
        proposal: thisMachine,
        refuse: (answer) =>
          /^qemu\S*:\/\/\S+$/.test(uriOf(answer))
            ? undefined
            : "is neither USER@HOST nor an address of libvirt",
      }),
    );
    const client = await world.open(uri);
    try {
      return await readHost(client, uri, asking);
    } catch (thrown) {
      client.close();
      throw thrown;
    }
  },
});

/** `ops@10.0.0.5` as libvirt writes it. */
function uriOf(answer: string): string {
  const text = answer.trim();
  if (/^(here|localhost|this machine)$/i.test(text)) return thisMachine;
  return /^[\w.-]+@[\w.:-]+$/.test(text) ? `qemu+ssh://${text}/system` : text;
}

async function readHost(client: LibvirtClient, uri: string, asking: Asking): Promise<Discovered> {
  const { signal } = asking;
  const [hostname, versions, info, machines, networks] = await Promise.all([
    client.hostname(signal),
    client.versions(signal),
    client.hostInfo(signal),
    runningMemoryMiB(client, asking),
    networksOn(client, signal),
  ]);
  const name = labelOf(hostname);
  const memoryFreeMiB = Math.max(0, info.memoryMiB - machines);
  asking.found(
    `${name}: libvirt ${versions.libvirt}, QEMU ${versions.hypervisor}, ${info.cpus} threads, ` +
      `${Math.floor(memoryFreeMiB / 1024)} of ${Math.floor(info.memoryMiB / 1024)} GiB not given to machines`,
  );
  const pool = await choosePool(client, asking);
  return {
    hosts: [
      {
        ...{ name, cores: info.cpus, memoryFreeMiB, diskFreeGiB: pool.freeGiB },
        lines: ["libvirt:", `  uri: ${uri}`, `  pool: ${pool.line}`],
      },
    ],
    networks: networks.offered.map((network): DiscoveredNetwork => ({ ...network, takesVlans: false })),
    taken: networks.taken,
    close: () => client.close(),
  };
}

/** A host name may hold more than a file lets a host be called. */
const labelOf = (hostname: string): string =>
  (hostname.split(".")[0] ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "") || "host";

async function runningMemoryMiB(client: LibvirtClient, { signal }: Asking): Promise<number> {
  const running = (await client.domains(signal)).filter(({ id }) => id >= 0);
  const infos = await Promise.all(
    running.map((domain) => unlessMissing(() => client.domainInfo(domain, signal))),
  );
  return infos.reduce((sum, info) => sum + Math.ceil((info?.maxMemoryKiB ?? 0) / 1024), 0);
}

interface ChosenPool {
  line: string;
  freeGiB: number;
}

/** Free room of a folder that is made later is not known beforehand. */
const unknownFreeGiB = 1_000;

async function choosePool(client: LibvirtClient, asking: Asking): Promise<ChosenPool> {
  const { signal } = asking;
  const pools = await Promise.all(
    (await client.pools(signal)).map((pool) =>
      unlessMissing(async () => {
        const [about, { path }] = [
          await client.poolInfo(pool, signal),
          readPool(await client.poolXml(pool, signal)),
        ];
        return { name: pool.name, isActive: about.isActive, path, freeGiB: gibOfBytes(about.availableBytes) };
      }),
    ),
  );
  const usable = pools
    .flatMap((pool) => (pool?.isActive ? [pool] : []))
    .toSorted((one, other) => other.freeGiB - one.freeGiB);
  const isNew = usable.every(({ name }) => name !== ownPool.name);
  const own = { value: ownPool.name, label: `${ownPool.name}, made at ${ownPool.path}` };
  const answer = await asking.ask({
    key: "storage",
    text: "Storage pool for images and disks",
    proposal: usable[0]?.name ?? ownPool.name,
    isQuiet: usable.length === 0,
    choices: [
      ...usable.map(({ name, path, freeGiB }) => ({
        value: name,
        label: `${name}, ${path}, ${Math.floor(freeGiB)} GiB free`,
      })),
      ...(isNew ? [own] : []),
    ],
  });
  const chosen = usable.find(({ name }) => name === answer);
  return chosen
    ? { line: chosen.name, freeGiB: chosen.freeGiB }
    : { line: `{ path: ${ownPool.path} } # made when it is missing`, freeGiB: unknownFreeGiB };
}
