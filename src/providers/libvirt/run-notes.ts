import { randomUUID } from "node:crypto";
import type { Domain, LibvirtClient } from "../../clients/libvirt/index.ts";
import { element, textAt, writeXml } from "../../lib/index.ts";
import type { ReadContext, RunNotes } from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";
import type { Connect } from "./host-registry.ts";
import { hasCode, isMissing, unlessMissing } from "./pool/open-pool.ts";
import { readDocument } from "./read-document.ts";

const prefix = "slipway-lock-";
const nameOf = (cluster: string): string => `${prefix}${cluster}`;

export const isNote = ({ name }: Domain): boolean => name.startsWith(prefix);

/**
 * A note is a machine that never runs. libvirt takes a name once: of several who define it, each with a UUID of their
 * own, one succeeds, and whoever has lost it cannot write on it again.
 */
export function libvirtNotes(connect: Connect): RunNotes<LibvirtHost> {
  const find = async (ctx: ReadContext, host: LibvirtHost, cluster: string) => {
    const client = await connect(host);
    return unlessMissing(async () => {
      const domain = await client.findDomain(nameOf(cluster), ctx.signal);
      const xml = await client.domainXml(domain, "defined", ctx.signal);
      const note = readDocument(xml, "domain");
      return { client, domain, uuid: textAt(note, "uuid") ?? "", text: textAt(note, "description") ?? "" };
    });
  };
  const versionOf = ({ uuid, text }: { uuid: string; text: string }): string => `${uuid} ${text}`;

  return {
    read: async (ctx, host, cluster) => {
      const found = await find(ctx, host, cluster);
      return found && { text: found.text, version: versionOf(found) };
    },

    create: async (ctx, host, cluster, text) =>
      define(ctx, await connect(host), { name: nameOf(cluster), uuid: randomUUID(), text }),

    async renew(ctx, host, cluster, text, version) {
      const found = await find(ctx, host, cluster);
      if (!found || versionOf(found) !== version) return false;
      return define(ctx, found.client, { name: nameOf(cluster), uuid: found.uuid, text });
    },

    async takeOver(ctx, host, cluster, text, version) {
      const found = await find(ctx, host, cluster);
      if (!found || versionOf(found) !== version) return false;
      // The next writer gets a UUID of its own; of two who try, one finds the old one gone.
      if (!(await undefine(ctx, found.client, found.domain))) return false;
      return define(ctx, found.client, { name: nameOf(cluster), uuid: randomUUID(), text });
    },

    async remove(ctx, host, cluster, version) {
      const found = await find(ctx, host, cluster);
      if (found && versionOf(found) === version) await undefine(ctx, found.client, found.domain);
    },
  };
}

async function define(
  ctx: ReadContext,
  client: LibvirtClient,
  note: { name: string; uuid: string; text: string },
): Promise<boolean> {
  const xml = writeXml(
    element("domain", { type: "qemu" }, [
      element("name", {}, note.name),
      element("uuid", {}, note.uuid),
      element("description", {}, note.text),
      element("memory", { unit: "KiB" }, "1024"),
      element("vcpu", {}, "1"),
      element("os", {}, [element("type", {}, "hvm")]),
    ]),
  );
  try {
    await client.defineDomain(xml, ctx.signal);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, "LIBVIRT_ALREADY_EXISTS")) return false;
    throw thrown;
  }
}

/** By its UUID: one of the same name that came after it stays. False: it was gone already. */
async function undefine(ctx: ReadContext, client: LibvirtClient, domain: Domain): Promise<boolean> {
  try {
    await client.undefineDomain(domain, ctx.signal);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}
