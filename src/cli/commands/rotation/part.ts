import { rotatePart } from "../../../operations/index.ts";
import type { RenewablePart } from "../../../plan/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { mayGoOn } from "../../input/may-go-on.ts";
import type { CommonOptions } from "../../options.ts";
import { keptRun } from "../../open-world.ts";
import type { Shell } from "../../shell.ts";
import { renderRotation } from "../../views/index.ts";
import { onlyCluster, shown } from "./ca.ts";

/** What is made anew in one go, node by node. */
export const rotating =
  (part: RenewablePart) =>
  async (shell: Shell, options: CommonOptions, [name]: string[]): Promise<number> => {
    const fleet = await loadOrExplain(shell, options);
    if (!fleet) return 2;
    const cluster = onlyCluster(fleet, name);
    const { exitCode } = await keptRun(shell, options, fleet, ({ world, say }) =>
      rotatePart(
        {
          ...{ fleet, cluster, part },
          confirm(planned) {
            say(renderRotation(shown(planned), shell.out));
            return mayGoOn(shell, options, "every node of a running cluster starts its services again");
          },
        },
        world,
      ),
    );
    return exitCode;
  };
