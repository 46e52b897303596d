import type { SecretRef } from "../../spec/index.ts";
import { drawLines, line, marked, sentence, wholeLine, type Canvas, type Line } from "./text/line.ts";
import { style } from "./text/style.ts";
import { widthOf } from "./text/width.ts";

export interface ShownGrant {
  url: string;
  hosts: string[];
  version: string;
  token: string;
  made: string[];
  secret?: string | undefined;
}

/** What was made, then the secret, alone on its line so that it can be copied. */
export function renderGranted(granted: ShownGrant, place: SecretRef, canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const { url, hosts, version, token, made, secret } = granted;
  const nothing = line("  ", ["dim", "everything the file needs was there already"]);
  const head: Line[] = [
    ...marked(["ok", glyphs.done], `${hosts.join(", ")}  Proxmox VE ${version} at ${url}`, canvas),
    ...(made.length === 0 ? [nothing] : made.flatMap((what) => marked(["ok", "+"], what, canvas, "  "))),
  ];
  if (secret === undefined) {
    const kept = `the secret of ${token} is as it was; Proxmox never shows it again`;
    return drawLines([...head, ...marked(" ", kept, canvas)], canvas);
  }
  const lines = [...head, ...sentence(`The secret of ${token} is shown this once:`, canvas)];
  return `${drawLines(lines, canvas)}\n${secret}\n\n${drawLines(placeLines(placeOfSecret(place), canvas), canvas)}`;
}

/** A command behind it is not broken. */
function placeLines(text: string, canvas: Canvas): Line[] {
  const [before = "", command] = text.split(": ");
  if (command === undefined || widthOf(text) <= canvas.columns) return sentence(text, canvas);
  return [line(`${before}:`), wholeLine(`  ${command}`)];
}

/** Where the cluster file looks for a secret, as something to do. */
export function placeOfSecret(place: SecretRef): string {
  if ("env" in place) return `Put it into the environment: export ${place.env}=SECRET`;
  if ("file" in place) return `Write it to ${place.file}, readable by you alone`;
  if ("command" in place) return `Store it where "${place.command.join(" ")}" finds it`;
  if ("age" in place) return `Encrypt it into ${place.age} with the age program`;
  return `Put it into ${place.sops.file} as "${place.sops.key}" with the sops program`;
}
