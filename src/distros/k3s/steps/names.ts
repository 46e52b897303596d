import type { KubeConfigMap } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same } from "../../../plan/index.ts";
import { namesKey, namesManifest, namesRef } from "../files/coredns-names.ts";
import type { K3sAccess } from "../k3s-access.ts";

export interface NamesWant {
  cluster: string;
  endpoint: string;
  /** Names by address. */
  hosts: Record<string, string[]>;
}

interface NamesHave {
  text: string;
}

/** Names that no DNS server knows, made known to pods: they do not see the files of their node. */
export const k3sNames = (access: K3sAccess) =>
  defineResource<NamesWant, NamesHave>({
    kind: "k3s/names",

    async read(ctx, want) {
      try {
        const kube = await access.kube(want.cluster, want.endpoint);
        const found = await kube.get<KubeConfigMap>(namesRef, ctx.signal);
        const text = found?.data?.[namesKey];
        return text === undefined ? undefined : { text };
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare(want, { text }) {
      if (text === namesManifest(want.hosts).data[namesKey]) return same;
      const fields = [{ field: "names known to pods", from: "others", to: asText(want.hosts) }];
      return { same: false, action: "update", consequence: "hot", fields };
    },

    create: (ctx, want) => write(access, want, ctx.signal),
    update: (ctx, want) => write(access, want, ctx.signal),
    remove: async () => {},
  });

const asText = (hosts: Record<string, string[]>): string => Object.values(hosts).flat().join(", ");

async function write(access: K3sAccess, want: NamesWant, signal: AbortSignal): Promise<NamesHave> {
  const manifest = namesManifest(want.hosts);
  const kube = await access.kube(want.cluster, want.endpoint);
  // Files that others wrote there stay.
  await kube.apply({ ...manifest }, { isForced: true, signal });
  return { text: manifest.data[namesKey] ?? "" };
}
