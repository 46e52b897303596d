import { addons } from "../src/addons/index.ts";
import { fleetJsonSchema, formatExample, type JsonSchema } from "../src/spec/index.ts";

/** Sections in the order a file is written; the schema's other parts follow where they are first used. */
const intro = `# The cluster file

<!-- Made by scripts/generate-docs.ts from the schema in src/spec. Change the schema, then run "npm run docs". -->

One file describes hosts and the Kubernetes clusters on them. A folder of such files is one fleet: addresses, VIPs,
MAC addresses and VMIDs are unique across all of them. Everything that can be left out has a default.

Begin a file with this line and editors with a YAML language server complete and check it while you type:

\`\`\`yaml
# yaml-language-server: $schema=./slipway.schema.json
\`\`\`

"slipway schema" prints that schema; "slipway validate" checks a file, with line and column of every mistake.

- **Sizes** have a unit: MiB, GiB, TiB count in 1024s, MB, GB, TB in 1000s.
- **Addresses** may be short: \`.101\` is completed from the \`cidr\` of the network, \`.1.101\` as well.
- **Versions** have all three numbers, with or without a \`v\`.
- **Secrets** never stand in the file, only where they are found.
- A node's address, VMID and MAC depend on its own number alone. To remove one in the middle of a pool, lower \`count\` and
  name its number in \`skip\`: the others stay as they are.
`;

const titles: Record<string, string> = {
  host: "hosts.NAME",
  proxmox: "hosts.NAME.proxmox",
  token: "hosts.NAME.proxmox.token",
  secret: "hosts.NAME.proxmox.token.secret and other places of secrets",
  tls: "hosts.NAME.proxmox.tls",
  storage: "hosts.NAME.proxmox.storage",
  cluster: "clusters.NAME",
  talos: "clusters.NAME.talos",
  image: "clusters.NAME.image",
  from: "clusters.NAME.from",
  iso: "clusters.NAME.from.iso",
  template: "clusters.NAME.from.template",
  existingTemplate: "clusters.NAME.from.existing",
  registerWith: "clusters.NAME.registerWith",
  nodeTalos: "talos of a pool or a node",
  kubelet: "talos.kubelet",
  kernelModule: "talos.kernelModules",
  diskLike: "talos.installDisk as a map",
  registry: "clusters.NAME.talos.registries.HOST",
  registryAuth: "clusters.NAME.talos.registries.HOST.auth",
  encryption: "clusters.NAME.talos.encryption",
  diskKey: "clusters.NAME.talos.encryption.state, ephemeral",
  network: "clusters.NAME.network",
  route: "routes",
  pool: "clusters.NAME.controlPlanes, clusters.NAME.workers",
  node: "clusters.NAME.workers.nodes.NAME",
  dataDisk: "dataDisks",
  nic: "nics",
  bond: "nics.bond",
  guestVlan: "vlans",
  externalCloudProvider: "clusters.NAME.externalCloudProvider",
  namedPool: "clusters.NAME.workers as a list",
  charts: "clusters.NAME.charts",
  "addon-cert-manager": "addons: cert-manager, and what every add-on takes",
  chart: "addons: chart of an add-on",
  "addon-cilium": "addons: cilium",
  loadBalancer: "addons: cilium.loadBalancer",
  bgp: "addons: cilium.loadBalancer.bgp",
  "addon-nfs-csi": "addons: nfs-csi",
  nfsStorageClass: "addons: nfs-csi.storageClass",
  "addon-proxmox-ccm": "addons: proxmox-ccm",
  "addon-proxmox-csi": "addons: proxmox-csi",
  proxmoxStorageClass: "addons: proxmox-csi.storageClasses",
  "addon-longhorn": "addons: longhorn",
  "addon-metrics-server": "addons: metrics-server",
  "addon-kubelet-csr-approver": "addons: kubelet-csr-approver",
  "addon-prometheus-crds": "addons: prometheus-crds",
  "addon-gateway-api-crds": "addons: gateway-api-crds",
  "addon-flux": "addons: flux",
  "addon-argocd": "addons: argocd",
  argocdRepository: "addons: argocd.repository",
  fluxRepository: "addons: flux.repository",
  gitCredentials: "addons: credentials of a Git repository",
  "addon-rancher": "addons: rancher",
  "addon-chart": "addons: chart, for your own",
  "addon-manifest": "addons: manifest, for your own",
};

/** The reference page of the cluster file. */
export function specPage(): string {
  const schema = fleetJsonSchema(addons);
  const definitions = schema.definitions ?? {};
  const names = [...Object.keys(titles), ...Object.keys(definitions).filter((name) => !(name in titles))];
  const sections = names.flatMap((name) => {
    const definition = definitions[name];
    return definition ? [section(titles[name] ?? titleOf(name), definition, schema)] : [];
  });
  return [intro, section("The file", schema, schema), ...sections].join("\n");
}

/** Of parts that need no other title than their own name. */
const titleOf = (name: string): string => name.replace(/^addon-/, "addons: ");

const tableHead = ["| field | written as | what it is | default | example |", "|---|---|---|---|---|"];

function section(title: string, definition: JsonSchema, root: JsonSchema): string {
  const required = new Set(asMap(definition).required);
  const rows = ownFields(definition, root).map(([name, field]) => {
    const whole = resolve(field, root);
    const cells = [
      `\`${name}\`${required.has(name) ? " (needed)" : ""}`,
      kindOf(field, root),
      (field.description ?? whole.description ?? "").replaceAll("|", "\\|"),
      shown(field.default ?? whole.default),
      shown(field.examples?.[0] ?? whole.examples?.[0]),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `## ${title}`,
    "",
    definition.description ?? "",
    "",
    ...(rows.length > 0
      ? [...tableHead, ...rows]
      : ["It takes what every add-on takes, and nothing of its own."]),
    "",
  ].join("\n");
}

/** A pool in a list has all fields of a pool, every add-on those of the simplest: only what is added is listed again. */
function ownFields(definition: JsonSchema, root: JsonSchema): [string, JsonSchema][] {
  const { definitions = {} } = root;
  const all = Object.entries(asMap(definition).properties ?? {});
  const [name] = Object.entries(definitions).find(([, known]) => known === definition) ?? [""];
  const isAddon = name.startsWith("addon-") && name !== simplestAddon;
  const like = name === "namedPool" ? "pool" : isAddon ? simplestAddon : undefined;
  return like === undefined
    ? all
    : all.filter(([field]) => !(field in (definitions[like]?.properties ?? {})));
}

const simplestAddon = "addon-cert-manager";

/** What may be a word or a map has the fields of the map. */
const asMap = (definition: JsonSchema): JsonSchema =>
  definition.anyOf?.find((shape) => shape.properties !== undefined) ?? definition;

function resolve(field: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = field.$ref ?? field.allOf?.[0]?.$ref;
  return (
    (reference === undefined ? undefined : root.definitions?.[reference.split("/").at(-1) ?? ""]) ?? field
  );
}

function kindOf(field: JsonSchema, root: JsonSchema): string {
  const whole = resolve(field, root);
  if (whole.enum && whole.enum.length > 4) return "name";
  if (whole.enum) return whole.enum.map((value) => `\`${String(value)}\``).join(" or ");
  if (whole.anyOf) return [...new Set(whole.anyOf.map((one) => kindOf(one, root)))].join(" or ");
  if (whole.type === "array") return `list of ${whole.items ? kindOf(whole.items, root) : "anything"}`;
  if (whole.type === "object") return "map";
  if (whole.type === "integer") return `number ${whole.minimum ?? ""} to ${whole.maximum ?? ""}`;
  if (Array.isArray(whole.type)) return whole.type.includes("boolean") ? "text or number" : "address";
  return whole.type === "boolean" ? "true or false" : "text";
}

function shown(value: unknown): string {
  if (value === undefined) return "";
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  if (isEmpty) return Array.isArray(value) ? "none" : "";
  const text = formatExample(value);
  return `\`${(text.length > 72 ? `${text.slice(0, 69)}…` : text).replaceAll("|", "\\|")}\``;
}

/** The schema as editors read it. */
export const schemaFile = (): string => `${JSON.stringify(fleetJsonSchema(addons), undefined, 2)}\n`;
