import { bootMediaOf, parseSelection } from "../../operations/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { renderBootMedia, rowsOn } from "../views/index.ts";

interface ImageOptions extends CommonOptions {
  output?: string;
}

/** Addresses go to other programs, so they are printed plain, one to a line. */
export async function run(shell: Shell, options: ImageOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { output } = options;
  const found = await bootMediaOf(
    { fleet, selection: parseSelection(cluster), output },
    openWorld(shell, options, fleet),
  );
  for (const media of found)
    if (options.json) shell.lines.tell({ type: "image", ...media });
    else shell.out.write(renderBootMedia(media, found.length > 1, rowsOn(shell.out)));
  return 0;
}
