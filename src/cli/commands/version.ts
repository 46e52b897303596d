import { pinnedHelm } from "../../clients/helm/index.ts";
import { protocolVersion } from "../../clients/libvirt/index.ts";
import { schemaReleases } from "../../clients/proxmox/index.ts";
import { eventStreamVersion } from "../../plan/index.ts";
import { fileVersion, talosMinors } from "../../spec/index.ts";
import { slipwayVersion } from "../../world/index.ts";
import { isExecutable, readPackageFile } from "../input/package-files.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";

/** What somebody who helps asks for first. */
export async function run(shell: Shell, options: CommonOptions): Promise<number> {
  const facts = {
    slipway: slipwayVersion,
    commit: await commitOfBuild(),
    form: isExecutable() ? "executable" : "package",
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    file: fileVersion,
    events: eventStreamVersion,
    proxmox: [...schemaReleases],
    libvirt: protocolVersion,
    talos: talosMinors.map(({ minor }) => `1.${minor}`),
    helm: pinnedHelm.version,
  };
  if (options.json) shell.lines.tell({ type: "version", ...facts });
  else shell.out.write(versionText(facts));
  return 0;
}

interface VersionFacts {
  slipway: string;
  commit: string | undefined;
  form: string;
  node: string;
  platform: string;
  file: number;
  events: number;
  proxmox: readonly string[];
  libvirt: number;
  talos: readonly string[];
  helm: string;
}

function versionText(facts: VersionFacts): string {
  const rows = [
    ["build", `${facts.commit ?? "of an unknown commit"}, as ${facts.form}`],
    ["node", `${facts.node} on ${facts.platform}`],
    ["cluster file", `version ${facts.file}`],
    ["event stream", `version ${facts.events}`],
    ["Proxmox API", `made from ${facts.proxmox.join(" and ")}`],
    ["libvirt", `remote protocol ${facts.libvirt}`],
    ["Talos API", facts.talos.join(", ")],
    ["helm", `${facts.helm}, fetched where an add-on needs it and there is none`],
  ] as const;
  const lines = rows.map(([name, text]) => `  ${name.padEnd(12)}   ${text}\n`);
  return `slipway ${facts.slipway}\n${lines.join("")}`;
}

/** Written beside the bundle; a checkout that was not built has none. */
async function commitOfBuild(): Promise<string | undefined> {
  const text = await readPackageFile("dist/build.json").catch(() => "{}");
  return (JSON.parse(text) as { commit?: string }).commit;
}
