import type { RunEvent } from "../../../plan/index.ts";
import { formatDuration, groupFailures, type Told } from "../../../views/index.ts";
import { drawLines, line } from "../text/line.ts";
import { checkLine, countLines } from "./render-checks.ts";
import { renderError } from "../problem/render-error.ts";
import type { Screen } from "../text/screen.ts";
import { style } from "../text/style.ts";
import type { View } from "../view.ts";

export interface VerifyViewOptions {
  out: Screen;
  err: Screen;
  /** Whether a command exists; what does not is not proposed. */
  offers?: (command: string) => boolean;
}

/** The checklist, line by line as checks end; then what is wrong in full; the count is the last line. */
export function verifyView({ out, err, offers = () => true }: VerifyViewOptions): View {
  const checks: Told<"check">[] = [];
  let clusters: string[] = [];
  const of = (cluster: string | undefined) => checks.filter((check) => check.cluster === cluster);

  const tellCheck = (check: Told<"check">): void => {
    const isFirst = of(check.cluster).length === 0 && clusters.length > 1;
    if (isFirst) out.write(drawLines([line(["strong", check.cluster ?? ""])], out));
    out.write(drawLines([checkLine(check, out)], out));
    checks.push(check);
  };

  const tellDone = (done: Told<"done">): void => {
    const failures = checks.flatMap(({ id, error, status }) =>
      error && status === "failed" ? [{ step: id, error }] : [],
    );
    for (const error of groupFailures(failures)) err.write(`\n${renderError(error, {}, err)}`);
    if (failures.length > 0) err.write("\n");
    if (done.error) {
      err.write(renderError(done.error, {}, err));
      return;
    }
    const tookMs = (cluster: string) =>
      clusters.length === 1 ? done.tookMs : of(cluster).reduce((sum, check) => sum + check.tookMs, 0);
    const lines = clusters
      .filter((cluster) => of(cluster).length > 0 && done.outcome !== "stopped")
      .flatMap((cluster) =>
        countLines(
          of(cluster),
          {
            cluster: clusters.length > 1 ? cluster : undefined,
            next: `slipway ${offers("doctor") ? "doctor" : "status"} ${cluster}`,
            tookMs: tookMs(cluster),
          },
          out,
        ),
      );
    const { glyphs } = style(out);
    const stopped = line(
      ["warn", glyphs.skipped],
      " ",
      ["strong", `stopped after ${formatDuration(done.tookMs)}`],
      "; nothing was changed, and what was tried is being removed",
    );
    out.write(drawLines(done.outcome === "stopped" ? [stopped] : lines, out));
  };

  return {
    tell(event: RunEvent) {
      if (event.type === "run") clusters = event.clusters;
      else if (event.type === "check") tellCheck(event);
      else if (event.type === "log") err.write(drawLines([line(["dim", `  ${event.text}`])], err));
      else if (event.type === "done") tellDone(event);
    },
    say: (text) => out.write(text),
    close() {},
  };
}
