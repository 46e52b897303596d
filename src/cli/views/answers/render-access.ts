import {
  commandHint,
  drawLines,
  hint,
  line,
  marked,
  sentence,
  wholeLine,
  type Canvas,
} from "../text/line.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";

/** A cluster that was added to the kubeconfig of the user, and how to undo it. */
export function renderMerged(
  merged: { into: string; context: string; backup?: string | undefined; before?: string | undefined },
  canvas: Canvas,
): string {
  const { into, context, backup, before } = merged;
  return drawLines(
    [
      ...marked(["ok", style(canvas).glyphs.done], `${context} is in ${into}, and current`, canvas),
      ...(backup === undefined ? [] : hint("kept", `${backup} is what it was`, canvas)),
      ...(before === undefined ? [] : [wholeLine("  back  ", `kubectl config use-context ${before}`)]),
      ...hint("next", "kubectl get nodes", canvas),
    ],
    canvas,
  );
}

const onlyHere = "Only this machine reaches it, and only with this address. Ctrl-C ends it.";

/** The dashboard while it is served. The address is there to be copied. */
export function renderServed(
  served: {
    file: string;
    url: string /** How another machine gets there. */;
    hint?: string | undefined;
    /** Absent where nothing can be changed at all. */
    canChange?: boolean;
  },
  canvas: Canvas,
): string {
  const { file, url, canChange } = served;
  const safe = canChange
    ? "it changes nothing without a plan that you have read and approved"
    : canChange === undefined
      ? "it only looks"
      : "it only looks; to approve plans in it: slipway ui --allow-changes";
  return drawLines(
    [
      wholeLine(["ok", style(canvas).glyphs.done], ` ${file} in the browser   `, ["strong", url]),
      ...(served.hint === undefined
        ? []
        : commandHint("else", "open the same address on your own machine, after:", served.hint, canvas)),
      ...hint("safe", safe, canvas),
      ...wrapText(onlyHere, canvas.columns - 2).map((part) => line("  ", ["dim", part])),
    ],
    canvas,
  );
}

/** A way through jump hosts that is held open: lines to be pasted into another terminal. */
export function renderProxy(
  { cluster, through, commands }: { cluster: string; through: string; commands: string[] },
  canvas: Canvas,
): string {
  return drawLines(
    [
      ...sentence(`${cluster} through ${through}, until Ctrl-C. In another terminal:`, canvas),
      line(),
      ...commands.map((command) => wholeLine(`  ${command}`)),
    ],
    canvas,
  );
}

export const renderNoProxy = (cluster: string, commands: string[], canvas: Canvas): string =>
  drawLines(
    [
      ...sentence(`${cluster} is reached without jump hosts: no proxy is needed.`, canvas),
      line(),
      ...commands.map((command) => wholeLine(`  ${command}`)),
    ],
    canvas,
  );

export interface ShownDatacenter {
  /** By name, where each answers, and where else. */
  hosts: { name: string; address: string; also?: string }[];
  tokens: { id: string; secret: string }[];
  fingerprint?: string | undefined;
}

/** A simulated datacenter while it runs: all that a cluster file needs, one to a line. */
export function renderDatacenter({ hosts, tokens, fingerprint }: ShownDatacenter, canvas: Canvas): string {
  const width = Math.max(5, ...hosts.map(({ name }) => widthOf(name)));
  return drawLines(
    [
      ...hosts.flatMap(({ name, address, also }) => {
        const main = wholeLine(["strong", padEnd(name, width)], `   ${address}`);
        if (also === undefined) return [main];
        const isNarrow = width + 3 + widthOf(`${address}   (or ${also})`) > canvas.columns;
        return isNarrow
          ? [main, wholeLine(" ".repeat(width + 3), ["dim", `or ${also}`])]
          : [wholeLine(...main.left, ["dim", `   (or ${also})`])];
      }),
      ...tokens.map(({ id, secret }) =>
        wholeLine(padEnd("token", width), `   ${id}=${secret}   `, ["dim", "(simulated)"]),
      ),
      ...(fingerprint === undefined
        ? []
        : [wholeLine(padEnd("pin", width), `   tls: { fingerprint: "${fingerprint}" }`)]),
      ...sentence("Nodes listen at their own addresses within 127.0.0.0/8. Ctrl-C stops it.", canvas, "dim"),
    ],
    canvas,
  );
}
