import { readFile, writeFile } from "node:fs/promises";
import {
  editCluster,
  editsOf,
  parseSelection,
  upgradeChoices,
  type ClusterUpgrade,
} from "../../../operations/index.ts";
import { fileNotEditable, oneClusterPlease } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderUpgrade } from "../../views/index.ts";
import { up } from "../up.ts";

interface UpgradeOptions extends CommonOptions {
  talos?: string;
  kubernetes?: string;
  k3s?: string;
  check?: boolean;
  outsideWindow?: boolean;
}

/** Writes other versions into the file, then does what `up` does. What comes to nothing leaves the file as it was. */
export async function run(shell: Shell, options: UpgradeOptions, [name]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { talos, kubernetes, k3s } = options;
  const choices = await upgradeChoices(
    { fleet, selection: parseSelection(name), asked: { talos, kubernetes, k3s } },
    openWorld(shell, options, fleet),
  );
  for (const choice of choices)
    if (options.json) shell.lines.tell({ type: "upgrade", ...choice });
    else shell.out.write(renderUpgrade(choice, options.check ?? false, shell.out));
  if (options.check) return 0;
  const [choice, ...others] = choices.filter((each) => editsOf(each).length > 0);
  if (!choice) return 0;
  if (others.length > 0) throw oneClusterPlease(choices.map(({ cluster }) => cluster));
  return edited(choice, (onBegin) => up(shell, { ...options, until: "addons" }, choice.cluster, { onBegin }));
}

async function edited(
  choice: ClusterUpgrade,
  work: (onBegin: () => void) => Promise<number>,
): Promise<number> {
  const { file, cluster } = choice;
  if (!/\.ya?ml$/.test(file)) throw fileNotEditable(file, cluster);
  const before = await readFile(file, "utf8");
  await writeFile(file, editCluster(before, cluster, editsOf(choice)));
  // From the first change on the file says where the nodes are going, however the run ends.
  let isKept = false;
  try {
    const code = await work(() => (isKept = true));
    isKept ||= code === 0;
    return code;
  } finally {
    if (!isKept) await writeFile(file, before);
  }
}
