import { SlipwayError } from "../../../errors/index.ts";
import type { ImageContent, ProxmoxClient, Volume } from "../../../clients/proxmox/index.ts";
import type { HostFacts, ReadContext, Survey } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { isOurImage } from "../mark.ts";
import { volumesKey, type HostSeen } from "./own-survey.ts";

type OwnFacts = Omit<HostFacts, "realm" | "memoryPromisedMiB" | "coresPromised">;

/** What a host is and holds beside machines. */
export interface HostFindings {
  host: ProxmoxHost;
  images: Survey["images"];
  /** Absent: it would not tell. */
  facts?: OwnFacts;
  /** The same and more, for checks that follow at once. */
  seen?: HostSeen;
}

export async function inspectHost(
  ctx: ReadContext,
  client: ProxmoxClient,
  host: ProxmoxHost,
): Promise<HostFindings> {
  const { images, isos } = host.proxmox.storage;
  const [known, ...lists] = await Promise.all([
    factsOf(ctx, client, host),
    volumesOn(ctx, client, host, images, "import"),
    volumesOn(ctx, client, host, isos, "iso"),
  ]);
  const told = lists.flatMap(({ storage, content, volumes }) =>
    volumes ? [{ key: volumesKey(storage, content), storage, content, volumes }] : [],
  );
  const found = told.flatMap(({ storage, content, volumes }) =>
    volumes
      .map(({ volume }) => volume.slice(`${storage}:${content}/`.length))
      .filter(isOurImage)
      .map((file) => ({ host: host.name, storage, file })),
  );
  if (!known) return { host, images: found };
  const { facts, storages, processor } = known;
  const volumes = Object.fromEntries(told.map((each) => [each.key, each.volumes]));
  return { host, images: found, facts, seen: { storages, processor, volumes } };
}

interface Listed {
  storage: string;
  content: ImageContent;
  volumes: Volume[] | undefined;
}

async function volumesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  host: ProxmoxHost,
  storage: string,
  content: ImageContent,
): Promise<Listed> {
  const ask = () => client.storageContent(host.proxmox.node, storage, content, ctx.signal);
  return { storage, content, volumes: await unlessRefused(ctx, host, ask) };
}

async function factsOf(ctx: ReadContext, client: ProxmoxClient, host: ProxmoxHost) {
  const { node } = host.proxmox;
  return unlessRefused(ctx, host, async () => {
    const [status, storages] = await Promise.all([
      client.nodeStatus(node, ctx.signal),
      client.storages(node, ctx.signal),
    ]);
    const { cores, memoryMiB, memoryUsedMiB, version, processor } = status;
    const facts: OwnFacts = {
      host: host.name,
      software: `Proxmox VE ${version}`,
      cores,
      memoryMiB,
      memoryUsedMiB,
      storages: storages.map(({ name, freeGiB, totalGiB, type, isShared }) => ({
        name,
        freeGiB,
        totalGiB,
        type,
        isShared,
      })),
    };
    return { facts, storages, processor };
  });
}

const refusals = new Set([
  "PVE_FORBIDDEN",
  "PVE_NOT_FOUND",
  "PVE_BAD_PARAMETER",
  "PVE_REFUSED",
  "PVE_NODE_UNREACHABLE",
  "PVE_TIMEOUT",
]);

/** A missing right or storage is for preflight to name, with its fix; the survey goes on without. */
async function unlessRefused<T>(
  ctx: ReadContext,
  host: ProxmoxHost,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || !refusals.has(thrown.code)) throw thrown;
    ctx.log("debug", `${host.name}: ${thrown.message}`);
    return undefined;
  }
}
