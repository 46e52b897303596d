import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { machineXml, readMachine } from "../../../src/providers/libvirt/index.ts";
import type { ContractSite } from "../provider-contract.ts";
import type { Cluster } from "../../../src/spec/index.ts";
import { libvirtLife, type LifeOptions } from "./life.ts";
import { plainMachine } from "./machines.ts";
import { libvirtHostNamed } from "./site.ts";
import { isFull } from "../whole-sweep.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
/** Pool, network, image, then each part of the machine; its removal and that of what it stood on. */
const cuts = isFull
  ? { broken: numbers(19), stopped: numbers(19), removal: numbers(11) }
  : { broken: [1, 14], stopped: [12, 17], removal: [1, 4] };

/** Writing on a data disk past libvirt. */
type Hands = Pick<ContractSite, "writeOnKept" | "isWritten">;

/** The daemon of this machine, or another one, for what every provider must do. */
export async function libvirtContractSite(
  prefix: string,
  cidr: string,
  options: LifeOptions & { hands?: (dataFile: (cluster: Cluster, node: string) => string) => Hands } = {},
): Promise<ContractSite> {
  const lab = await libvirtLife(prefix, cidr, options);
  const { client, folder } = lab;
  const domainOf = ({ name }: Cluster, node: string) => client.findDomain(`${name}-${node}`);
  const dataFile = ({ name }: Cluster, node: string): string =>
    `${folder}/slipway.${name}.${node}.data1.qcow2`;
  const gone = libvirtHostNamed("gone", { name: prefix, path: folder });
  const poor = libvirtHostNamed("desk", { name: `${prefix}-none` });
  const { network, ...rest } = lab.cluster([{ memoryMiB: 2 ** 24 }]);
  const { libvirt: _made, ...bridged } = network;
  return {
    ...lab,
    cuts,
    unreachable: {
      ...gone,
      libvirt: { ...gone.libvirt, uri: "qemu:///system?socket=/run/slipway-test-none" },
    },
    bad: {
      host: poor,
      cluster: { ...rest, network: { ...bridged, bridge: "br-none" } },
      codes: ["LIBVIRT_INTERFACE_MISSING", "LIBVIRT_MEMORY_SHORT", "LIBVIRT_NO_SUCH_POOL"],
    },
    async identity(cluster, node) {
      const { uuid, nics } = readMachine(await client.domainXml(await domainOf(cluster, node), "running"));
      return [uuid, ...nics.map(({ mac }) => mac)].join(" ");
    },
    session: async (cluster, node) => String((await domainOf(cluster, node)).id),
    async putStranger(cluster, node, owner) {
      const { seed: _none, ...plain } = plainMachine({ disks: [], nics: [] });
      const mark = { ...plain.mark, cluster: owner ?? "", node };
      const xml = machineXml({ ...plain, name: `${cluster.name}-${node}`, uuid: randomUUID(), mark });
      const domain = await client.defineDomain(
        owner === undefined ? xml.replace(/<metadata>.*<\/metadata>/s, "") : xml,
      );
      return () => client.domainXml(domain, "defined");
    },
    async removeByHand(cluster, node) {
      const domain = await domainOf(cluster, node);
      await client.destroyDomain(domain);
      await client.undefineDomain(domain);
      const volumes = await client.volumes(await client.findPool(prefix));
      for (const volume of volumes)
        if (volume.name.startsWith(`${cluster.name}-${node}`)) await client.removeVolume(volume);
    },
    ...(options.hands ?? handsHere)(dataFile),
    [Symbol.asyncDispose]: () => lab.close(),
  };
}

const handsHere = (dataFile: (cluster: Cluster, node: string) => string): Hands => ({
  async writeOnKept(cluster, node) {
    execFileSync("qemu-io", ["-c", "write -q -P 7 0 512", dataFile(cluster, node)]);
  },
  async isWritten(cluster, node) {
    const read = ["-U", "-r", "-c", "read -P 7 0 512", dataFile(cluster, node)];
    return !execFileSync("qemu-io", read, { encoding: "utf8" }).includes("verification failed");
  },
});
