import { rotateAccount } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderRotatedToken } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [cluster = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const rotation = await rotateAccount({ fleet, cluster }, world);
  if (options.json) {
    shell.lines.tell({ type: "rotated", ...rotation });
    return 0;
  }
  shell.out.write(renderRotatedToken({ ...rotation, cluster }, shell.out));
  return 0;
}
