import { attributeAt, demandTextAt, demandXml, made, printed, withChild, withChildren } from "../xml.ts";
import { firstAt, textAt } from "../../../lib/index.ts";
import { newUuid, type SimHost } from "../host.ts";
import { noPool, operationFailed, operationInvalid, unsupportedConfiguration } from "../refusal.ts";
import type { SimPool } from "../state.ts";
import { freeBytes, usedBytes } from "./places.ts";
import { placeOf } from "./volumes.ts";

const simulatedKinds = ["dir", "logical"];

export function definePool(host: SimHost, text: string): SimPool {
  const written = demandXml(text, "pool");
  const kind = written.attributes["type"] ?? "";
  if (!simulatedKinds.includes(kind))
    throw unsupportedConfiguration("storage", `missing backend for pool type '${kind}'`);
  const source = textAt(written, "source", "name");
  const name = textAt(written, "name") ?? source ?? demandTextAt(written, "name");
  const path = (
    textAt(written, "target", "path") ?? (kind === "logical" ? `/dev/${source ?? name}` : "")
  ).replace(/(.)\/+$/, "$1");
  if (path === "") throw unsupportedConfiguration("storage", "missing storage pool target path");
  const all = Object.values(host.state.pools);
  const namesake = all.find((pool) => pool.name === name);
  const uuid = textAt(written, "uuid")?.toLowerCase() ?? namesake?.uuid ?? newUuid(host.random);
  if (namesake && namesake.uuid !== uuid)
    throw operationFailed("storage", `pool '${name}' already exists with uuid ${namesake.uuid}`);
  const neighbour = all.find((pool) => pool.path === path && pool.uuid !== uuid);
  if (neighbour) throw operationFailed("storage", `Storage source conflict with pool: '${neighbour.name}'`);
  const known = host.state.pools[uuid];
  const xml = withChild(written, made("uuid", {}, uuid), ["name"]);
  const pool: SimPool = { isActive: false, startsWithHost: false, ...known, uuid, name, kind, path, xml };
  host.state.pools[uuid] = pool;
  host.changed();
  return pool;
}

export function findPool(host: SimHost, { uuid, name }: { uuid: string; name: string }): SimPool {
  const found = host.state.pools[uuid];
  if (!found) throw noPool("storage", `no storage pool with matching uuid '${uuid}' (${name})`);
  return found;
}

export function poolNamed(host: SimHost, name: string): SimPool {
  const found = Object.values(host.state.pools).find((pool) => pool.name === name);
  if (!found) throw noPool("storage", `no storage pool with matching name '${name}'`);
  return found;
}

export function demandActive(pool: SimPool): SimPool {
  if (!pool.isActive) throw operationInvalid("storage", `storage pool '${pool.name}' is not active`);
  return pool;
}

export function demandInactive(pool: SimPool): SimPool {
  if (pool.isActive) throw operationInvalid("storage", `storage pool '${pool.name}' is already active`);
  return pool;
}

export function poolInfo(host: SimHost, pool: SimPool) {
  if (!pool.isActive) return { state: 0, capacity: 0, allocation: 0, available: 0 };
  const place = placeOf(host, pool);
  return { state: 2, capacity: place.sizeBytes, allocation: usedBytes(place), available: freeBytes(place) };
}

/** With its sizes where libvirt puts them. */
export function poolXml(host: SimHost, pool: SimPool): string {
  const info = poolInfo(host, pool);
  const sizes = (["capacity", "allocation", "available"] as const).map((name) =>
    made(name, { unit: "bytes" }, info[name]),
  );
  const { attributes } = pool.xml;
  const source = firstAt(pool.xml, "source") ?? made("source");
  return printed(
    withChildren(made("pool", { type: attributes["type"] }), [
      made("name", {}, pool.name),
      made("uuid", {}, pool.uuid),
      ...sizes,
      source,
      made("target", {}, [
        made("path", {}, pool.path),
        attributeAt(pool.xml, ["target", "permissions"], "mode") === undefined
          ? undefined
          : firstAt(pool.xml, "target", "permissions"),
      ]),
    ]),
  );
}
