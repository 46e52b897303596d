import { X509Certificate } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { replaceFile } from "../../../lib/index.ts";
import { defineResource, same } from "../../../plan/index.ts";
import { kubeconfig } from "../kubeconfig.ts";
import { talosconfig } from "../talosconfig.ts";
import type { TalosAccess } from "./talos-access.ts";

export interface AccessWant {
  cluster: string;
  endpoint: string;
  controlPlanes: string[];
}

interface AccessHave {
  isCurrent: boolean;
}

const renewBeforeMs = 30 * 86_400_000;

/** kubeconfig and talosconfig beside the secrets, both made from them alone. */
export const talosAccessFiles = (access: TalosAccess) =>
  defineResource<AccessWant, AccessHave>({
    kind: "talos/access",

    async read(_ctx, want): Promise<AccessHave | undefined> {
      const [kube, talos] = await Promise.all(files(access, want.cluster).map(readIfThere));
      const bundle = await access.findBundle(want.cluster);
      if (kube === undefined || talos === undefined || bundle === undefined) return undefined;
      const now = access.world.wall.now();
      const isCurrent =
        fits(() => kubeFacts(kube), want.endpoint, bundle.kubernetes.cert, now) &&
        fits(() => talosFacts(talos), want.controlPlanes.join(), bundle.os.cert, now);
      return { isCurrent };
    },

    compare: (_want, have) =>
      have.isCurrent
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "kubeconfig and talosconfig", from: "out of date", to: "written again" }],
          },

    create: (_ctx, want) => write(access, want),
    update: (_ctx, want) => write(access, want),
    remove: async () => {},
  });

const files = (access: TalosAccess, cluster: string): [string, string] => [
  path.join(access.folderOf(cluster), "kubeconfig"),
  path.join(access.folderOf(cluster), "talosconfig"),
];

async function write(access: TalosAccess, want: AccessWant): Promise<AccessHave> {
  const bundle = await access.bundle(want.cluster);
  const [kubeFile, talosFile] = files(access, want.cluster);
  await replaceFile(
    kubeFile,
    await kubeconfig({ cluster: want.cluster, server: want.endpoint }, bundle, access.issuing),
  );
  const fields = {
    cluster: want.cluster,
    endpoints: want.controlPlanes,
    nodes: want.controlPlanes.slice(0, 1),
  };
  await replaceFile(talosFile, await talosconfig(fields, bundle, access.issuing));
  return { isCurrent: true };
}

const readIfThere = (file: string): Promise<string | undefined> =>
  fs.readFile(file, "utf8").catch(() => undefined);

interface FileFacts {
  points: string;
  authority: string;
  client: string;
}

/** Whether a file points where it should, trusts our authority, and will do so for a while. */
function fits(read: () => FileFacts, points: string, authority: string, now: number): boolean {
  try {
    const facts = read();
    const validTo = Date.parse(new X509Certificate(facts.client).validTo);
    return (
      facts.points === points && facts.authority.trim() === authority.trim() && validTo - now > renewBeforeMs
    );
  } catch {
    return false;
  }
}

const decode = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

function kubeFacts(text: string): FileFacts {
  const file = parse(text) as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const { cluster } = file.clusters[0];
  const { user } = file.users[0];
  return {
    points: cluster["server"] ?? "",
    authority: decode(cluster["certificate-authority-data"] ?? ""),
    client: decode(user["client-certificate-data"] ?? ""),
  };
}

function talosFacts(text: string): FileFacts {
  const file = parse(text) as {
    context: string;
    contexts: Record<string, { endpoints: string[]; ca: string; crt: string }>;
  };
  const context = file.contexts[file.context];
  return {
    points: context?.endpoints.join() ?? "",
    authority: decode(context?.ca ?? ""),
    client: decode(context?.crt ?? ""),
  };
}
