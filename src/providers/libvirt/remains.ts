import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import type { ReadContext } from "../../plan/index.ts";
import { placesOn } from "./find-machine.ts";
import type { HostBook } from "./host-book.ts";
import type { MachineKey } from "./machine-want.ts";
import { consoleVolume, isSeedOf, machineUuid, readDataVolume, systemVolume } from "./names.ts";
import { volumesIn } from "./place.ts";

/** Looks for what a removal may leave behind of machines that are gone. */
export async function remains(ctx: ReadContext, book: HostBook, removed: MachineKey[]): Promise<string[]> {
  const hosts = [...new Set(removed.map(({ host }) => host))];
  const found = hosts.map(async (host) => {
    const gone = removed.filter((key) => key.host === host);
    return remainsOn(ctx, await book.client(host), host, gone);
  });
  return (await Promise.all(found)).flat();
}

async function remainsOn(
  ctx: ReadContext,
  client: LibvirtClient,
  host: string,
  gone: MachineKey[],
): Promise<string[]> {
  const places = Object.values(await placesOn(client, ctx.signal));
  const volumes = await Promise.all(places.map((place) => volumesIn(client, place, ctx.signal)));
  const uuids = new Set(gone.map(({ cluster, node }) => machineUuid(cluster, node)));
  const machines = (await client.domains(ctx.signal)).filter(({ uuid }) => uuids.has(uuid));
  return [
    ...machines.map(({ name }) => `machine ${name} on ${host}`),
    ...volumes
      .flatMap((each) => [...each.keys()])
      .filter((name) => gone.some((key) => isOf(key, name)))
      .map((name) => `volume ${name} on ${host}`),
  ];
}

/** Data that was kept is no remainder. */
function isOf({ cluster, node, losesData }: MachineKey, name: string): boolean {
  const data = readDataVolume(name);
  return (
    name === systemVolume(cluster, node, "qcow2") ||
    name === systemVolume(cluster, node, "raw") ||
    name === consoleVolume(cluster, node) ||
    isSeedOf(cluster, node, name) ||
    (losesData === true && data?.cluster === cluster && data.node === node)
  );
}
