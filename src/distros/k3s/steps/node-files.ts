import type { Deviation } from "../../../plan/index.ts";
import { k3sPaths, type NodeFile } from "../paths.ts";
import { readCredentials, registryFiles } from "../registries-file.ts";
import { unitFile, unitPath } from "../unit-file.ts";
import { configChanges } from "./config-changes.ts";
import type { HostSession } from "./host-session.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { withTokens, type NodeWant } from "./node-want.ts";

/** A file of a node, and what it means when it changes. */
export interface WantedFile extends NodeFile {
  deviations(found: string | undefined): Deviation[];
}

/** The files of a node that stay the same whether it founds, joins or comes back. */
export async function wantedFiles(access: K3sAccess, want: NodeWant): Promise<WantedFile[]> {
  const config = withTokens(want.config, await access.bundle(want.cluster));
  const credentials = want.registries
    ? await readCredentials(want.registries, (ref, what) => access.world.resolveSecret(ref, what))
    : {};
  const registries = want.registries ? registryFiles(want.registries, credentials) : [];
  return [
    {
      ...{ path: k3sPaths.configFile, mode: "0600", content: config },
      deviations: (found = "") => {
        const changes = configChanges(config, found);
        return changes.length > 0 || found === config ? changes : [written("config.yaml", "hot")];
      },
    },
    ...registries.map((file) => ({
      ...file,
      deviations: (found?: string) => (found === file.content ? [] : [written("registries", "roll")]),
    })),
    {
      ...{ path: unitPath(want.role), mode: "0644", content: unitFile(want.role) },
      deviations: (found) => (found === unitFile(want.role) ? [] : [written("service of systemd", "roll")]),
    },
    ...kubeVip(want),
  ];
}

/** K3s looks after its manifests while it runs. */
const kubeVip = ({ kubeVip: content }: NodeWant): WantedFile[] =>
  content === undefined
    ? []
    : [
        {
          ...{ path: k3sPaths.kubeVipManifest, mode: "0600", content },
          deviations: (found) => (found === content ? [] : [written("kube-vip", "disturb")]),
        },
      ];

const written = (field: string, consequence: "hot" | "disturb" | "roll"): Deviation => ({
  field,
  from: "otherwise",
  to: "as written",
  consequence,
});

export interface FileState {
  file: WantedFile;
  deviations: Deviation[];
}

/** Compares each with what is there. */
export const compareFiles = (
  host: HostSession,
  files: WantedFile[],
  signal: AbortSignal,
): Promise<FileState[]> =>
  Promise.all(
    files.map(async (file) => ({ file, deviations: file.deviations(await host.read(file.path, signal)) })),
  );
