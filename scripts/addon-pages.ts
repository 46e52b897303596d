import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AddonDefinition, addons } from "../src/addons/index.ts";
import type { ReleasePart } from "../src/addons/common/index.ts";
import { installAddons } from "../src/addons/steps/index.ts";
import { type Cluster, fleetJsonSchema, parseFleet } from "../src/spec/index.ts";

const folder = fileURLToPath(new URL("../src/addons/", import.meta.url));

const fileOf = (name: string): string => `${name === "own" ? "your-own" : name}.md`;

/** Links lead from docs/addons to the same places. */
const relinked = (page: string): string =>
  page
    .replaceAll(/\]\(\.\.\/([a-z-]+)\/page\.md/g, (_all, name: string) => `](${fileOf(name)}`)
    .replaceAll("](../../../docs/", "](../");

/** The pages that lie in the folders of add-ons, by their name in docs/addons. */
export const addonPages = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => existsSync(`${folder}${name}/page.md`))
      .map((name) => [
        fileOf(name),
        `${relinked(readFileSync(`${folder}${name}/page.md`, "utf8"))}\n<!-- Made from src/addons/${name}/page.md by "npm run docs". -->\n`,
      ]),
  );

const begin = "<!-- add-ons: begin -->";
const end = "<!-- add-ons: end -->";

/** The guide with a line for every add-on between its marks: what is released, where, and from where. */
export async function withAddonTable(guide: string): Promise<string> {
  const known = addons
    .filter(({ ownName }) => !ownName)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const rows = await Promise.all(known.map(rowOf));
  const table = ["| add-on | release | namespace | chart | version |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
  const [before = "", rest = ""] = guide.split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}\n${table}\n${end}${after}`;
}

async function rowOf({ name }: AddonDefinition): Promise<string> {
  const cluster = clusterWith(name);
  const installed = await installAddons(cluster, addons);
  const found = installed.find(({ addon }) => addon.name === name);
  if (!found) throw new Error(`${name} is not installed`);
  const { addon, installation, version } = found;
  const parts = installation.parts({ addon, cluster, version, names: new Set() });
  const release = parts.find((part) => part.kind === "release");
  const page = `| [${name}](../addons/${name}.md) |`;
  return release
    ? `${page} \`${release.name}\` | \`${release.namespace}\` | ${sourceOf(release)} | ${release.version} |`
    : `${page} | | manifests | ${version} |`;
}

const sourceOf = ({ chart }: ReleasePart): string =>
  "repository" in chart
    ? `\`${chart.name}\` of \`${chart.repository}\``
    : `\`${"oci" in chart ? chart.oci : chart.path}\``;

/** A cluster with the add-on as its own example writes it. */
function clusterWith(name: string): Cluster {
  const [example = {}] = fleetJsonSchema(addons).definitions?.[`addon-${name}`]?.examples ?? [];
  const token = { id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } };
  const file = {
    version: 1,
    hosts: { hydra: { proxmox: { url: "https://192.168.1.10:8006", token } } },
    clusters: {
      homelab: {
        network: { cidr: "192.168.1.0/24" },
        controlPlanes: { count: 3 },
        addons: [{ [name]: example }],
      },
    },
  };
  // JSON is YAML.
  const parsed = parseFleet({ file: "slipway.yaml", text: JSON.stringify(file) }, { addons });
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  const [cluster] = parsed.fleet.clusters;
  if (!cluster) throw new Error("no cluster");
  return cluster;
}
