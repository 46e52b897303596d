import { pinnedHelm } from "../../clients/helm/index.ts";
import { protocolVersion } from "../../clients/libvirt/index.ts";
import { schemaReleases } from "../../clients/proxmox/index.ts";
import { eventStreamVersion } from "../../plan/index.ts";
import { fileVersion, talosMinors } from "../../spec/index.ts";
import { slipwayVersion } from "../../world/index.ts";
import { isExecutable, readPackageFile } from "../input/package-files.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { renderVersion, rowsOn } from "../views/index.ts";

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
  else shell.out.write(renderVersion(facts.slipway, versionRows(facts), rowsOn(shell.out)));
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

const versionRows = (facts: VersionFacts): [string, string][] => [
  ["build", `${facts.commit ?? "of an unknown commit"}, as ${facts.form}`],
  ["node", `${facts.node} on ${facts.platform}`],
  ["cluster file", `version ${facts.file}`],
  ["event stream", `version ${facts.events}`],
  ["Proxmox API", `made from ${facts.proxmox.join(" and ")}`],
  ["libvirt", `remote protocol ${facts.libvirt}`],
  ["Talos API", facts.talos.join(", ")],
  ["helm", `${facts.helm}, fetched where an add-on needs it and there is none`],
];

/** Written beside the bundle; a checkout that was not built has none. */
async function commitOfBuild(): Promise<string | undefined> {
  const text = await readPackageFile("dist/build.json").catch(() => "{}");
  return (JSON.parse(text) as { commit?: string }).commit;
}
