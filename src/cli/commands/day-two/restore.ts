import { stat } from "node:fs/promises";
import { fileSource, openBackup } from "../../../backups/index.ts";
import {
  openKnownBackup,
  putFilesBack,
  restoreCluster,
  restoreSecrets,
  type PutBack,
} from "../../../operations/index.ts";
import { ageKeys } from "../../../secrets/index.ts";
import type { Fleet } from "../../../spec/index.ts";
import { noTerminal } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { keptRun, openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderPutBack, renderRestoration } from "../../views/index.ts";

interface RestoreOptions extends CommonOptions {
  as?: string;
  filesOnly?: boolean;
  hostLost?: string[];
}

export async function run(shell: Shell, options: RestoreOptions, args: string[]): Promise<number> {
  const [name = "", wanted] = args;
  const early = await putMissingFileBack(shell, options, name);
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { opened, source } = await openKnownBackup({ fleet, name }, openWorld(shell, options, fleet));
  // Of files that are there nothing is written: this only tells which of them differ.
  const found = early ?? (await putFilesBack(opened, options.file));
  const request = {
    ...{ fleet, backup: opened, source: source.name },
    cluster: options.as ?? wanted ?? opened.contents.cluster,
    isCopy: options.as !== undefined,
  };
  if (options.filesOnly) {
    const secrets = await restoreSecrets(request, openWorld(shell, options, fleet));
    tellPutBack(shell, options, found, secrets);
    return 0;
  }
  return restore(shell, options, request, found);
}

/** Everything is gone: the backup itself says what the cluster file was. */
async function putMissingFileBack(
  { env, asker: ask }: Shell,
  { file }: RestoreOptions,
  name: string,
): Promise<PutBack | undefined> {
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  if ((await isThere(file)) || !(await isThere(name))) return undefined;
  return putFilesBack(await openBackup(fileSource(name), ageKeys({ env, ask })), file);
}

function tellPutBack(shell: Shell, { json }: CommonOptions, files: PutBack, secrets: string[]): void {
  const { written, different } = files;
  if (json) shell.lines.tell({ type: "putBack", written: [...written, ...secrets], different });
  else shell.out.write(renderPutBack(files, secrets, shell.out));
}

async function restore(
  shell: Shell,
  options: RestoreOptions,
  request: Omit<Parameters<typeof restoreCluster>[0], "confirm"> & { fleet: Fleet },
  files: PutBack,
): Promise<number> {
  const { exitCode } = await keptRun(shell, options, request.fleet, ({ world, say, show }) =>
    restoreCluster(
      {
        ...request,
        lostHosts: options.hostLost,
        async confirm(restoration) {
          const { cluster, preview } = restoration;
          say(renderRestoration(restoration, { source: request.source, files }, shell.out));
          show({ command: "restore", clusters: [cluster.name], plan: preview.plan, preview });
          return confirm(shell, options, cluster.name);
        },
      },
      world,
    ),
  );
  return exitCode;
}

async function confirm(shell: Shell, options: CommonOptions, cluster: string): Promise<boolean> {
  if (options.yes) return true;
  if (!shell.canAsk) throw noTerminal("a restore replaces the database of the cluster");
  return (await shell.ask("Type the cluster's name to go on: ")).trim() === cluster;
}
