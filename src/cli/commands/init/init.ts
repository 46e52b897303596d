import { stat } from "node:fs/promises";
import { initFleet } from "../../../operations/index.ts";
import { fileExists } from "../../errors.ts";
import { openWorld } from "../../open-world.ts";
import type { Shell } from "../../shell.ts";
import { afterInit, renderInit } from "../../views/index.ts";
import { askingOn, type InitOptions } from "./asking.ts";
import { copyExample, listExamples, schemaText } from "./example.ts";

export async function run(shell: Shell, options: InitOptions): Promise<number> {
  const { file, example, force = false } = options;
  if (example === true) {
    await listExamples(shell, options);
    return 0;
  }
  if (!force && (await isThere(file))) throw fileExists(file);
  if (example !== undefined) {
    await copyExample(shell, options, example);
    return 0;
  }
  const report = await initFleet({
    file,
    asking: await askingOn(shell, options),
    openWorld: (fleet) => openWorld(shell, { file }, { file, ...fleet }),
    schema: schemaText(),
  });
  if (options.json) shell.lines.tell({ type: "written", ...report, next: [...afterInit] });
  else shell.out.write(renderInit(report, shell.out));
  return 0;
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
