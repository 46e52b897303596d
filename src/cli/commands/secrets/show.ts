import path from "node:path";
import { listSecrets, parseSelection, type ShownSecret } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { style } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const found = await listSecrets({ fleet, selection: parseSelection(target) }, world);
  if (options.json) {
    shell.lines.tell(...found.map((secret) => ({ type: "secret" as const, ...secret })));
    return 0;
  }
  if (found.length === 0) shell.out.write("no secrets yet; slipway up makes them\n");
  const names = found.map(({ file }) => path.relative("", file));
  const width = Math.max(0, ...names.map((name) => name.length));
  const { glyphs, paint } = style(shell.out);
  for (const [index, secret] of found.entries()) {
    const mark =
      secret.canOpen && !isExposed(secret) ? paint("ok", glyphs.done) : paint("bad", glyphs.failed);
    shell.out.write(`${mark} ${(names[index] ?? "").padEnd(width)}   ${words(secret)}\n`);
  }
  if (found.some(({ form, wanted, isForeign }) => form !== wanted && !isForeign))
    shell.out.write("  next  slipway secrets rekey\n");
  return 0;
}

/** It lies there for everybody to read who gets hold of it, and the cluster file wants it closed. */
const isExposed = ({ form, wanted }: ShownSecret): boolean => form === "plain" && wanted !== "plain";

function words({ form, wanted, canOpen, isForeign }: ShownSecret): string {
  if (isForeign) return "a plain copy of encrypted secrets that Slipway did not make; delete it";
  if (wanted === "no copy") return "a plain copy of encrypted secrets";
  const how =
    form === "plain" ? "plain" : `${form}${canOpen ? ", you can open it" : ", no key at hand opens it"}`;
  return form === wanted ? how : `${how}; the file wants ${wanted}`;
}
