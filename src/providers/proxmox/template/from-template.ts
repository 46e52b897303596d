import { createHash } from "node:crypto";
import { machineImage, type MachineImage } from "../../../images/index.ts";
import { imageStep, type GraphNode, type PlacedNode, type Survey } from "../../../plan/index.ts";
import {
  type CloneKind,
  type Cluster,
  type ProxmoxHost,
  type MachineBootSource,
  type Role,
} from "../../../spec/index.ts";
import { describeImages, type BootSource, type BootSourceView } from "../image/describe-images.ts";
import { surveyedTemplates } from "../survey/own-survey.ts";
import type { TemplateWant } from "./template.ts";

type TemplateBootSource = Extract<MachineBootSource, { kind: "template" }>;

const usualTemplateMs = 12_000;

/** A template per role and host, made from the image, and machines cloned from it. */
export function fromTemplate(view: BootSourceView, bootSource: TemplateBootSource): BootSource {
  const { cluster, hosts, canRegister } = view;
  const image = machineImage(cluster);
  const wants = new Map<string, TemplateWant>();
  const wantFor = ({ node, host }: PlacedNode<ProxmoxHost>): TemplateWant => {
    const home = homeOf(view, host, keyOf(cluster, host, node.role));
    const place = `${home.name} ${node.role}`;
    const want = wants.get(place) ?? templateWant(view, bootSource, home, node.role, image);
    wants.set(place, want);
    return want;
  };
  const sources = new Map(byHost(view.placed).map((placed) => [placed.node.name, wantFor(placed)]));
  // Nothing is made for hosts that only took over machines made elsewhere.
  const homes = new Set(
    view.placed
      .filter(({ host }) => hosts.includes(host))
      .map(({ node }) => sources.get(node.name)?.host ?? ""),
  );
  return {
    before: [
      ...describeImages(cluster, [...homes].map(view.hostNamed), image, canRegister),
      ...[...wants.values()]
        .filter((want) => homes.has(want.host))
        .map((want) => templateNode(cluster, want)),
    ],
    sourceOf: (placed) => {
      const want = sources.get(placed.node.name) ?? wantFor(placed);
      return {
        image: want.image,
        from: { kind: "clone", template: want.vmid, clone: bootSource.clone },
        after: [templateStep(cluster.name, want)],
        facts: { from: cloneText(bootSource.clone, want.vmid) },
      };
    },
    afterwards: () => [],
  };
}

/** The templates of one host are numbered together: 998 and 999, then 1000 and 1001 on the next. */
function byHost(placed: PlacedNode<ProxmoxHost>[]): PlacedNode<ProxmoxHost>[] {
  const hosts = [...new Set(placed.map(({ host }) => host.name))];
  return hosts.flatMap((name) => placed.filter(({ host }) => host.name === name));
}

const cloneText = (clone: CloneKind, vmid: number): string =>
  `${clone === "auto" ? "" : `${clone} `}clone of template ${vmid}`;

const templateStep = (cluster: string, { host, role }: { host: string; role: Role }): string =>
  `${cluster}/template/${host}-${role}`;

/** What makes two templates the same: everything that goes into one. */
export function keyOf(cluster: Cluster, host: ProxmoxHost, role: Role): string {
  const { architecture, isSecureBoot = false } = cluster.distribution;
  const { fileName } = machineImage(cluster);
  const facts = [fileName, host.proxmox.storage.templates, architecture, isSecureBoot, role];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 12);
}

/** Where the template of a host is: on itself, or on one host for all when they share the storage it lies in. */
function homeOf(view: BootSourceView, host: ProxmoxHost, key: string): ProxmoxHost {
  const { survey } = view.needs;
  if (!isShared(survey, host)) return host;
  const alike = view.placed.map((each) => each.host).filter((other) => isSameServer(host, other));
  const known = surveyedTemplates(survey)
    .filter((template) => template.key === key)
    .map((template) => view.hostNamed(template.host))
    .find((other) => isSameServer(host, other));
  return known ?? alike[0] ?? host;
}

const isSameServer = (one: ProxmoxHost, other: ProxmoxHost): boolean =>
  one.proxmox.url === other.proxmox.url && one.proxmox.token.id === other.proxmox.token.id;

const isShared = (survey: Survey, { name, proxmox }: ProxmoxHost): boolean =>
  survey.hosts
    .find((facts) => facts.host === name)
    ?.storages.find((storage) => storage.name === proxmox.storage.templates)?.isShared === true;

function templateWant(
  { cluster, needs }: BootSourceView,
  bootSource: TemplateBootSource,
  home: ProxmoxHost,
  role: Role,
  image: MachineImage,
): TemplateWant {
  const { storage, pool } = home.proxmox;
  const { distribution } = cluster;
  const key = keyOf(cluster, home, role);
  return {
    host: home.name,
    vmid: numberOf(needs.survey, home, key) ?? needs.ids.forShared(key, home, bootSource.vmids[role]),
    key,
    role,
    name: templateName(cluster, role),
    storage: storage.templates,
    image: { storage: storage.images, file: image.fileName },
    pool,
    architecture: distribution.architecture === "arm64" ? distribution.architecture : undefined,
    isSecureBoot: distribution.isSecureBoot,
  };
}

/** `talos-1.13.9-worker`; Proxmox takes names of hosts only. */
const templateName = (cluster: Cluster, role: Role): string =>
  `${machineImage(cluster)
    .title.toLowerCase()
    .replace(/[^a-z0-9.]+/g, "-")
    .slice(0, 40)}-${role}`;

/** Of one that exists. */
function numberOf(survey: Survey, home: ProxmoxHost, key: string): number | undefined {
  // A host answers for its whole Proxmox cluster, so what it tells of may be on a node that the file does not name.
  const isNear = (on: string) => on === home.proxmox.node || isShared(survey, home);
  return surveyedTemplates(survey).find(
    (template) => template.host === home.name && template.key === key && isNear(template.on),
  )?.vmid;
}

function templateNode(cluster: Cluster, want: TemplateWant): GraphNode<TemplateWant> {
  return {
    id: templateStep(cluster.name, want),
    kind: "proxmox/template",
    name: `template for ${want.role === "worker" ? "workers" : "control planes"} on ${want.host}`,
    want,
    after: [imageStep(cluster.name, want.host)],
    group: "images",
    stage: "machines",
    cluster: cluster.name,
    host: want.host,
    usualMs: usualTemplateMs,
    facts: { image: machineImage(cluster).title, vmid: want.vmid },
  };
}
