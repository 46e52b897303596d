import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { firstAt, textAt } from "../../../lib/index.ts";
import { readContent } from "../../image-content.ts";
import type { SimHost } from "../host.ts";
import { invalidArgument, noVolume, systemError, volumeExists } from "../refusal.ts";
import type { Place, SimPool, SimVolume } from "../state.ts";
import { attributeAt, demandTextAt, demandXml, made, printed } from "../xml.ts";
import { backingIn, clusterBytes, diskFile, noteIn } from "./disk-file.ts";
import { demandRoom, placeAt, volumeAt } from "./places.ts";

/** So much of a volume is kept. Seeds and their like are smaller; of images their beginning says enough. */
export const keptBytes = 2 * 2 ** 20;

const emptyQcow2Bytes = 200_704;

export const placeOf = (host: SimHost, { path, kind }: SimPool): Place =>
  placeAt(host, path, kind === "logical");

export function findVolume(host: SimHost, pool: SimPool, name: string): SimVolume {
  const found = placeOf(host, pool).volumes[name];
  if (!found) throw noVolume("storage", `no storage vol with matching name '${name}'`);
  return found;
}

/** Makes a volume as its description says; of another's content, when it is a copy. */
export function makeVolume(host: SimHost, pool: SimPool, text: string, source?: SimVolume): SimVolume {
  const xml = demandXml(text, "volume");
  const place = placeOf(host, pool);
  const name = demandTextAt(xml, "name");
  if (place.volumes[name]) throw volumeExists(name);
  const format = place.isBlock ? "raw" : (attributeAt(xml, ["target", "format"], "type") ?? "raw");
  const asked = bytesOf(firstAt(xml, "capacity"), "bytes") ?? 0;
  const capacityBytes = Math.max(asked, source?.capacityBytes ?? 0);
  const backingPath = textAt(xml, "backingStore", "path");
  const backing =
    backingPath === undefined
      ? undefined
      : { path: backingPath, format: attributeAt(xml, ["backingStore", "format"], "type") ?? "raw" };
  if (backing && !volumeAt(host, backing.path))
    throw systemError("storage", `Cannot access storage file '${backing.path}': No such file or directory`);
  const thin = bytesOf(firstAt(xml, "allocation"), "bytes");
  const isWhole = place.isBlock || (format === "raw" && thin === undefined);
  const allocationBytes = isWhole ? capacityBytes : format === "raw" ? (thin ?? 0) : emptyQcow2Bytes;
  const copied = source?.allocationBytes ?? 0;
  demandRoom(place, pool.path, name, Math.max(allocationBytes, copied));
  const volume: SimVolume = {
    name,
    format,
    capacityBytes,
    allocationBytes: Math.max(allocationBytes, copied),
    physicalBytes: format === "raw" ? capacityBytes : emptyQcow2Bytes,
    backing,
    head: source?.head ?? "",
    ...(source?.origin !== undefined && { origin: source.origin }),
    ...(source?.data && { data: structuredClone(source.data) }),
  };
  place.volumes[name] = volume;
  host.changed();
  return volume;
}

export function removeVolume(host: SimHost, pool: SimPool, name: string): void {
  findVolume(host, pool, name);
  delete placeOf(host, pool).volumes[name];
  host.changed();
}

/** Grows only, as libvirt does unless it is asked to shrink. */
export function resizeVolume(host: SimHost, pool: SimPool, name: string, bytes: number): void {
  const volume = findVolume(host, pool, name);
  if (bytes < volume.capacityBytes)
    throw invalidArgument(
      "storage",
      "Can't shrink capacity below current capacity unless shrink flag explicitly specified",
    );
  growTo(host, pool, volume, bytes);
}

export function growTo(host: SimHost, pool: SimPool, volume: SimVolume, bytes: number): void {
  const place = placeOf(host, pool);
  const isWhole = volume.allocationBytes >= volume.capacityBytes && volume.format === "raw";
  if (isWhole) {
    demandRoom(place, pool.path, volume.name, bytes - volume.capacityBytes);
    volume.allocationBytes += bytes - volume.capacityBytes;
  }
  if (volume.format === "raw") volume.physicalBytes = bytes;
  volume.capacityBytes = bytes;
  host.changed();
}

/** After bytes were written behind each other from `offset` on. The file is never shortened by it. */
export function wroteContent(
  host: SimHost,
  pool: SimPool,
  volume: SimVolume,
  head: Buffer,
  endBytes: number,
): void {
  const place = placeOf(host, pool);
  const more = Math.max(0, endBytes - volume.allocationBytes);
  demandRoom(place, pool.path, volume.name, more);
  volume.allocationBytes += more;
  volume.physicalBytes = place.isBlock ? volume.physicalBytes : Math.max(volume.physicalBytes, endBytes);
  volume.head = head.toString("base64");
  const { capacityBytes, image, format } = readContent(head);
  if (!place.isBlock) volume.capacityBytes = capacityBytes ?? volume.physicalBytes;
  const disk = noteIn(head);
  volume.backing = backingIn(head);
  // What is real does not say of itself what a simulated machine should start: its name has to.
  const isSeed = format === "iso" && endBytes <= keptBytes;
  volume.origin = disk ? disk.origin : (image ?? (isSeed || endBytes === 0 ? undefined : volume.name));
  delete volume.data;
  if (disk) {
    // Its header says what it is; the rest is read.
    volume.head = head.subarray(0, clusterBytes).toString("base64");
    if (disk.data) volume.data = disk.data;
  }
  host.changed();
}

/** Looks at what the files are, which libvirt does whenever it reads a pool anew. */
export function probeVolumes(host: SimHost, pool: SimPool): void {
  const place = placeOf(host, pool);
  if (place.isBlock) return;
  for (const volume of Object.values(place.volumes)) {
    if (volume.head === "") continue;
    const { format, capacityBytes } = readContent(Buffer.from(volume.head, "base64"));
    volume.format = format;
    if (capacityBytes !== undefined && volume.data === undefined && !volume.backing)
      volume.capacityBytes = capacityBytes;
  }
  host.changed();
}

/** As long as its file is, with what guests have written to it. */
export const fileBytes = (volume: SimVolume): number =>
  Math.max(volume.physicalBytes, diskFile(volume).length);

const inBytes = (name: string, bytes: number) => made(name, { unit: "bytes" }, bytes);

export function volumeXml(pool: SimPool, { isBlock }: Place, volume: SimVolume): string {
  const { name, format, backing } = volume;
  const path = `${pool.path}/${name}`;
  return printed(
    made("volume", { type: isBlock ? "block" : "file" }, [
      made("name", {}, name),
      made("key", {}, path),
      inBytes("capacity", volume.capacityBytes),
      inBytes("allocation", volume.allocationBytes),
      inBytes("physical", isBlock ? volume.capacityBytes : fileBytes(volume)),
      made("target", {}, [
        made("path", {}, path),
        made("format", { type: format }),
        made("permissions", {}, [made("mode", {}, "0600"), made("owner", {}, 0), made("group", {}, 0)]),
        format === "qcow2" && made("compat", {}, "1.1"),
      ]),
      backing &&
        made("backingStore", {}, [made("path", {}, backing.path), made("format", { type: backing.format })]),
    ]),
  );
}
