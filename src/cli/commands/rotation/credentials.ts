import path from "node:path";
import { rotateCredentials } from "../../../operations/index.ts";
import { noTerminal } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderRenewed } from "../../views/index.ts";
import { onlyCluster } from "./ca.ts";

export async function run(shell: Shell, options: CommonOptions, [name]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const cluster = onlyCluster(fleet, name);
  const world = openWorld(shell, options, fleet);
  const confirm = async (what: string): Promise<boolean> => {
    if (options.yes) return true;
    if (!shell.canAsk) throw noTerminal(what);
    return /^y(es)?$/i.test((await shell.ask(`${what}. Go on? [y/N] `)).trim());
  };
  const renewed = await rotateCredentials({ fleet, cluster, confirm }, world);
  if (options.json) {
    const of = { type: "renewed" as const, cluster: cluster.name };
    shell.lines.tell(...renewed.map(({ credential, file, old }) => ({ ...of, credential, file, old })));
  } else {
    const shown = renewed.map((each) => ({ ...each, file: path.relative("", each.file) }));
    shell.out.write(renderRenewed(shown, shell.out));
  }
  return 0;
}
