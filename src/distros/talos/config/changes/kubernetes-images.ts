import type { MachineConfigDocument } from "../config-document.ts";
import { isMainDocument } from "../shapes/document-shapes.ts";

/** The parts of Kubernetes whose images a machine config names, in the order in which they are upgraded. */
export const components = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
  "kubelet",
] as const;
export type Component = (typeof components)[number];

/** Up to contract 1.13 in the main document, from 1.14 on in one of its own. */
const places: Record<Component, { section: [string, string]; kind: string }> = {
  "kube-apiserver": { section: ["cluster", "apiServer"], kind: "KubeAPIServerConfig" },
  "kube-controller-manager": {
    section: ["cluster", "controllerManager"],
    kind: "KubeControllerManagerConfig",
  },
  "kube-scheduler": { section: ["cluster", "scheduler"], kind: "KubeSchedulerConfig" },
  "kube-proxy": { section: ["cluster", "proxy"], kind: "KubeProxyConfig" },
  kubelet: { section: ["machine", "kubelet"], kind: "KubeletConfig" },
};

type Documents = readonly MachineConfigDocument[];

/** As the config names it; undefined where it does not, or where that part is switched off. */
export function imageOf(documents: Documents, component: Component): string | undefined {
  const { image, disabled, enabled } = sectionOf(documents, component) ?? {};
  return typeof image === "string" && disabled !== true && enabled !== false ? image : undefined;
}

/** `ghcr.io/siderolabs/kubelet:v1.36.3-fat@sha256:…` is 1.36.3. */
export const versionOfImage = (image: string): string | undefined =>
  /:v?(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(image)?.[1];

/** The same image in another version. A variant of it (`-fat`) stays; a digest was of the old one. */
export const imageInVersion = (image: string, version: string): string =>
  image.replace(/:v?\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?(-[a-z]+)?(?:@.*)?$/, `:v${version}$1`);

/** The config with this image; one that does not name any for that part stays as it is. */
export function withImage(
  documents: Documents,
  component: Component,
  image: string,
): MachineConfigDocument[] {
  const { section, kind } = places[component];
  const found = imageOf(documents, component);
  if (found === undefined || found === image) return [...documents];
  return documents.map((document) => {
    if (document["kind"] === kind) return { ...document, image };
    const [outer, inner] = section;
    const fields = isMainDocument(document) ? mapAt(document, outer) : undefined;
    const part = mapAt(fields, inner);
    return part?.["image"] === undefined
      ? document
      : { ...document, [outer]: { ...fields, [inner]: { ...part, image } } };
  });
}

/** The config as wanted, but with the parts of Kubernetes that run: these are exchanged in an order of their own. */
export function withRunningImages(wanted: Documents, running: Documents): MachineConfigDocument[] {
  return components.reduce<MachineConfigDocument[]>(
    (documents, component) => {
      const image = imageOf(running, component);
      return image === undefined ? documents : withImage(documents, component, image);
    },
    [...wanted],
  );
}

/** Without the address that the control planes share. */
export const withoutVip = (documents: Documents): MachineConfigDocument[] =>
  JSON.parse(
    JSON.stringify(documents.filter((document) => document["kind"] !== "Layer2VIPConfig")),
    (key, value: unknown) => (key === "vip" ? undefined : value),
  ) as MachineConfigDocument[];

/** Flags and feature gates that the config gives to a part of Kubernetes, by name. */
export function settingsOf(documents: Documents, component: Component): { flags: string[]; gates: string[] } {
  const section = sectionOf(documents, component);
  const flags = mapAt(section, "extraArgs") ?? {};
  const named = [flags["feature-gates"] ?? ""].flat().flatMap((text) => String(text).split(","));
  const inConfig = mapAt(mapAt(section, "extraConfig") ?? mapAt(section, "config"), "featureGates") ?? {};
  return {
    flags: Object.keys(flags),
    gates: [...named.map((gate) => gate.split("=")[0]?.trim() ?? ""), ...Object.keys(inConfig)],
  };
}

function sectionOf(documents: Documents, component: Component): MachineConfigDocument | undefined {
  const { section, kind } = places[component];
  const [outer, inner] = section;
  return (
    documents.find((document) => document["kind"] === kind) ??
    mapAt(mapAt(documents.find(isMainDocument), outer), inner)
  );
}

function mapAt(value: MachineConfigDocument | undefined, key: string): MachineConfigDocument | undefined {
  const found = value?.[key];
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? (found as MachineConfigDocument)
    : undefined;
}
