import type { Random } from "../../lib/index.ts";
import { newMac, newUuid } from "./host.ts";
import type { LibvirtHostFile } from "./libvirt-file.ts";
import type { HostState, SimNetworkDefinition, SimPool } from "./state.ts";
import { made } from "./xml.ts";

/** A host that nobody has touched yet: the pools and networks of its file. */
export function freshState({ pools, networks }: LibvirtHostFile, random: Random): HostState {
  const ready = Object.entries(pools).map(([name, pool]) => ({
    size: pool.size,
    pool: poolOf(name, pool, random),
  }));
  return {
    domains: {},
    networks: Object.fromEntries(
      Object.entries(networks).map(([name, network], index) => {
        const definition = networkOf(name, network, index, random);
        return [definition.uuid, definition];
      }),
    ),
    pools: Object.fromEntries(ready.map(({ pool }) => [pool.uuid, pool])),
    places: Object.fromEntries(
      ready.map(({ pool, size }) => [
        pool.path,
        { sizeBytes: size, isBlock: pool.kind === "logical", volumes: {} },
      ]),
    ),
    leases: {},
    given: {},
    nextId: 1,
  };
}

function poolOf(
  name: string,
  { type, path, isActive }: LibvirtHostFile["pools"][string],
  random: Random,
): SimPool {
  const uuid = newUuid(random);
  const at =
    path ??
    (type === "logical" ? `/dev/${name}` : `/var/lib/libvirt/${name === "default" ? "images" : name}`);
  const xml = made("pool", { type }, [
    made("name", {}, name),
    made("uuid", {}, uuid),
    type === "logical" && made("source", {}, [made("name", {}, name), made("format", { type: "lvm2" })]),
    made("target", {}, [made("path", {}, at)]),
  ]);
  return { uuid, name, kind: type, path: at, xml, isActive, startsWithHost: isActive };
}

function networkOf(
  name: string,
  { mode, cidr, dhcp, isActive }: LibvirtHostFile["networks"][string],
  index: number,
  random: Random,
): SimNetworkDefinition {
  const uuid = newUuid(random);
  const [address, prefix] = cidr.split("/");
  const xml = made("network", {}, [
    made("name", {}, name),
    made("uuid", {}, uuid),
    mode !== "isolated" && made("forward", { mode }),
    made("bridge", { name: `virbr${index}`, stp: "on", delay: 0 }),
    made("mac", { address: newMac(random) }),
    made("ip", { address, prefix }, [
      dhcp && made("dhcp", {}, [made("range", { start: dhcp[0], end: dhcp[1] })]),
    ]),
  ]);
  return { uuid, name, xml, isActive, startsWithHost: isActive };
}
