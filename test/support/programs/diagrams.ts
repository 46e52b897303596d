import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { labFile } from "../peers.ts";

export const howToGetD2 = "build it with lab/build-d2.sh";
export const howToGetMermaid = "fetch it with lab/install-mermaid.sh";

/** The real d2, from where lab/build-d2.sh puts it. */
export const findD2 = (): string | undefined => labFile("d2");

/** What d2 has against a text; nothing when it takes it. */
export function refusalOfD2(program: string, text: string): string | undefined {
  const { status, stderr } = spawnSync(program, ["validate", "-"], { input: text, encoding: "utf8" });
  return status === 0 ? undefined : stderr;
}

/** The folder with the real Mermaid, from where lab/install-mermaid.sh puts it. */
export const findMermaid = (): string | undefined =>
  labFile("mermaid/node_modules/mermaid/dist/mermaid.core.mjs") && labFile("mermaid/node_modules");

/** Reads texts as a browser would; what it has against one, nothing when it takes it. */
export async function openMermaid(folder: string): Promise<(text: string) => Promise<string | undefined>> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(`${folder}/${file}`).href);
  const { JSDOM } = (await load("jsdom/lib/api.js")) as {
    JSDOM: new (html: string) => { window: { document: unknown } };
  };
  const { window } = new JSDOM("");
  Object.assign(globalThis, { window, document: window.document });
  const { default: mermaid } = (await load("mermaid/dist/mermaid.core.mjs")) as {
    default: { parse(text: string): Promise<unknown> };
  };
  return async (text) => {
    try {
      await mermaid.parse(text);
      return undefined;
    } catch (thrown) {
      return String(thrown);
    }
  };
}
