import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import {
  genConfig,
  genConfigOutputs,
  genSecrets,
  readPatchFlag,
  type ConfigPatch,
  type GenConfigOptions,
  type GenConfigOutput,
} from "../../../distros/talos/index.ts";
import { realClock, realRandom } from "../../../lib/index.ts";
import { parseBundle, type Bundle } from "../../../secrets/index.ts";
import { manyOutputsOneTerminal, outputExists, outputTypeUnknown } from "../../errors.ts";
import { readInput, refusingInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { writeOutput } from "../../output/write-output.ts";

type PassedOn = Pick<
  GenConfigOptions,
  | "talosVersion"
  | "kubernetesVersion"
  | "installDisk"
  | "installImage"
  | "dnsDomain"
  | "withClusterDiscovery"
  | "withKubespan"
>;

interface GenConfigFlags extends PassedOn {
  withSecrets?: string;
  outputTypes?: string[];
  output?: string;
  additionalSans?: string[];
  registryMirror?: string[];
  configPatch?: string[];
  configPatchControlPlane?: string[];
  configPatchWorker?: string[];
  force?: boolean;
}

/** `talosctl gen config` with comments off. */
export const run = (shell: Shell, flags: GenConfigFlags, [name = "", endpoint = ""]: string[]) =>
  refusingInput(shell, async () => {
    const outputTypes = checkedTypes(flags.outputTypes);
    const targets = targetsOf(outputTypes, flags.output);
    if (!flags.force) await refuseExisting(Object.values(targets));
    const made = await genConfig({
      ...flags,
      name,
      endpoint,
      outputTypes,
      bundle: await bundleOf(flags),
      registryMirrors: flags.registryMirror ?? [],
      configPatches: await readPatches(flags.configPatch),
      configPatchesControlPlane: await readPatches(flags.configPatchControlPlane),
      configPatchesWorker: await readPatches(flags.configPatchWorker),
      clock: realClock,
      random: realRandom,
    });
    for (const type of outputTypes)
      await writeOutput(shell, targets[type] ?? "-", made[type] ?? "", flags.force ?? false);
  });

const isOutput = (type: string): type is GenConfigOutput => genConfigOutputs.some((known) => known === type);

function checkedTypes(given: string[] = []): GenConfigOutput[] {
  const known: readonly string[] = genConfigOutputs;
  return (given.length === 0 ? [...known] : given).map((type) => {
    if (!isOutput(type)) throw outputTypeUnknown(type, known);
    return type;
  });
}

const fileNames: Record<GenConfigOutput, string> = {
  controlplane: "controlplane.yaml",
  worker: "worker.yaml",
  talosconfig: "talosconfig",
};

/** One output goes to the file itself, several go below the folder. */
function targetsOf(
  types: GenConfigOutput[],
  output: string | undefined,
): Partial<Record<GenConfigOutput, string>> {
  const [only, ...others] = types;
  if (others.length > 0 && output === "-") throw manyOutputsOneTerminal(types);
  if (only && others.length === 0 && output !== undefined) return { [only]: output };
  return Object.fromEntries(types.map((type) => [type, path.join(output ?? ".", fileNames[type])]));
}

/** Looked at before anything is written, so that a refusal leaves nothing behind. */
async function refuseExisting(targets: string[]): Promise<void> {
  for (const target of targets.filter((file) => file !== "-")) {
    const found = await stat(target).catch(() => undefined);
    if (found) throw outputExists(target);
  }
}

async function bundleOf(flags: GenConfigFlags): Promise<Bundle> {
  const { withSecrets: file, talosVersion } = flags;
  if (file !== undefined) return parseBundle(await readInput(file), file);
  const text = await genSecrets({
    clock: realClock,
    random: realRandom,
    talosVersion,
  });
  return parseBundle(text, "new secrets");
}

const readPatches = (flags: string[] = []): Promise<ConfigPatch[]> =>
  Promise.all(flags.map((flag) => readPatchFlag(flag, (file) => readFile(file, "utf8"))));
