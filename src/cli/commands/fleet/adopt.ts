import path from "node:path";
import { stringify } from "yaml";
import type { Manifest } from "../../../clients/kube/index.ts";
import { adoptFleet } from "../../../controller/index.ts";
import { readSources } from "../../../operations/index.ts";
import { ageKeys, resolveSecret } from "../../../secrets/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { refusingInput } from "../../input/read-input.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { openManagement, type ManagementOptions } from "./open-management.ts";

interface AdoptOptions extends CommonOptions, ManagementOptions {
  apply?: boolean;
  withoutSecrets?: boolean;
  hosts?: string;
}

/** What is printed holds secrets, and goes to standard output alone: it is meant for another program. */
export async function run(shell: Shell, given: AdoptOptions, [file]: string[]): Promise<number> {
  const options = { ...given, file: file ?? given.file };
  if (!(await loadOrExplain(shell, options, true))) return 2;
  return refusingInput(
    shell,
    async () => {
      const objects = await adopted(shell, options);
      if (options.apply) await applyAll(objects, shell, options);
      else if (options.json)
        for (const manifest of objects)
          shell.lines.disclose({ ...lineOf(manifest), isApplied: false, manifest });
      else shell.disclose(objects.map(yaml).join("---\n"));
    },
    isOutside,
  );
}

/** A management cluster that does not answer is no mistake of the file. */
const isOutside = (code: string): boolean => code.startsWith("KUBE_");

async function adopted(shell: Shell, options: AdoptOptions): Promise<Manifest[]> {
  const { env, asker: ask, redaction } = shell;
  const keys = ageKeys({ env, ask });
  const objects = await adoptFleet({
    sources: await readSources(options.file),
    namespace: options.namespace,
    hosts: options.hosts ?? objectName(options.file),
    folder: slipwayFolder(options.file),
    resolveSecret: (ref, what, folder) => resolveSecret(ref, what, { env, folder, keys, redaction }),
  });
  return options.withoutSecrets ? objects.filter(({ kind }) => kind !== "Secret") : objects;
}

/** `attic` of `clusters/Attic.yaml`, and of a folder of that name. */
const objectName = (file: string): string =>
  path
    .parse(path.resolve(file))
    .name.toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "") || "hosts";

async function applyAll(objects: readonly Manifest[], shell: Shell, options: AdoptOptions): Promise<void> {
  const kube = await openManagement(shell, options);
  try {
    for (const manifest of objects) {
      await kube.apply(manifest, { signal: shell.stop });
      if (options.json) shell.lines.tell({ ...lineOf(manifest), isApplied: true });
      else shell.out.write(`${manifest.kind} ${manifest.metadata?.name} applied\n`);
    }
  } finally {
    kube.close();
  }
}

const lineOf = ({ kind, metadata }: Manifest) => ({
  ...{ type: "object" as const, kind, name: metadata?.name ?? "", namespace: metadata?.namespace ?? "" },
});

/** Kubernetes reads YAML 1.1, where `on` without quotes is a yes. */
const yaml = (manifest: Manifest): string =>
  stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false, version: "1.1" });
