import { realClock } from "../../../lib/index.ts";
import { newestBackup, rehearseDisaster, selectClusters, type Disaster } from "../../../operations/index.ts";
import type { Fleet } from "../../../spec/index.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderDisaster, renderMoment } from "../../views/index.ts";

/** A game day: the file of the user through a disaster, told as it goes, and what it came to. */
export async function runDisaster(
  shell: Shell,
  options: CommonOptions,
  fleet: Fleet,
  { disaster, cluster }: { disaster: Disaster; cluster: string | undefined },
): Promise<number> {
  const report = await rehearseDisaster({
    fleet,
    disaster,
    selection: cluster === undefined ? {} : { cluster },
    stop: shell.stop,
    calls: shell.calls,
    redaction: shell.redaction,
    onMoment(moment) {
      if (!options.json) shell.out.write(renderMoment(moment, shell.out));
    },
  });
  const newestAgeMs = await ageOfNewest(shell, options, fleet, report.cluster);
  if (options.json) shell.lines.tell({ type: "disaster", ...report, newestAgeMs });
  else shell.out.write(renderDisaster(report, newestAgeMs, shell.out));
  return report.isRecovered ? 0 : 1;
}

/** Of the user's real backups. Places that do not answer are for `backup list` to explain. */
async function ageOfNewest(
  shell: Shell,
  options: CommonOptions,
  fleet: Fleet,
  name: string,
): Promise<number | undefined> {
  const [cluster] = selectClusters(fleet, { cluster: name });
  if (!cluster?.backups) return undefined;
  const takenAt = await newestBackup(cluster, openWorld(shell, options, fleet), shell.stop).catch(
    () => undefined,
  );
  return takenAt === undefined ? undefined : Math.max(0, realClock.now() - takenAt);
}
