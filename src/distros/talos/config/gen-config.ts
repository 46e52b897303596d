import type { Bundle } from "../../../secrets/index.ts";
import { createBundle, writeBundle } from "../../../secrets/index.ts";
import type { IssueOptions } from "../../../pki/index.ts";
import { encodeMachineConfig } from "./config-document.ts";
import type { ConfigPatch } from "./patch/config-patch.ts";
import { contractOf } from "./contract.ts";
import { endpointUnusable, mirrorUnclear } from "./errors.ts";
import { machineConfig } from "./machine-config.ts";
import type { MachineIntent, RegistryIntent } from "./machine-intent.ts";
import { patchMachineConfig } from "./patch/patches.ts";
import { readDocuments } from "./patch/read-patch.ts";
import { defaultInstaller, talosDefaults } from "./talos-defaults.ts";
import { talosconfig } from "./access/talosconfig.ts";

/** The Talos whose configs are written when none is named. */
export const usualTalos = "1.13";

/** `gen secrets`: the text of a new secrets.yaml. */
export async function genSecrets(
  options: IssueOptions & { talosVersion?: string | undefined },
): Promise<string> {
  const contract = contractOf(options.talosVersion ?? usualTalos).name;
  return writeBundle(await createBundle({ clock: options.clock, random: options.random, contract }));
}

export type GenConfigOutput = "controlplane" | "worker" | "talosconfig";
export const genConfigOutputs: readonly GenConfigOutput[] = ["controlplane", "worker", "talosconfig"];

/** The flags of `talosctl gen config`, each with talosctl's meaning; comments are never written. */
export interface GenConfigOptions extends IssueOptions {
  name: string;
  endpoint: string;
  /** Of `--with-secrets`, or new ones. */
  bundle: Bundle;
  outputTypes?: readonly GenConfigOutput[];
  /** Whose form the configs have: `v1.12`, `1.13.9`. */
  talosVersion?: string;
  /** With or without a leading v. */
  kubernetesVersion?: string;
  /** Empty for none. */
  installDisk?: string;
  installImage?: string;
  additionalSans?: string[];
  dnsDomain?: string;
  /** `HOST=URL` each. */
  registryMirrors?: string[];
  withClusterDiscovery?: boolean;
  withKubespan?: boolean;
  configPatches?: ConfigPatch[];
  configPatchesControlPlane?: ConfigPatch[];
  configPatchesWorker?: ConfigPatch[];
}

/** `gen config`: the text of each wanted file. */
export async function genConfig(
  options: GenConfigOptions,
): Promise<Partial<Record<GenConfigOutput, string>>> {
  const result: Partial<Record<GenConfigOutput, string>> = {};
  for (const output of options.outputTypes ?? genConfigOutputs) {
    result[output] =
      output === "talosconfig"
        ? await talosconfig({ cluster: options.name, endpoints: [] }, options.bundle, options)
        : encodeMachineConfig(machineConfig(intentOf(options, output), options.bundle));
  }
  return result;
}

function intentOf(options: GenConfigOptions, output: "controlplane" | "worker"): MachineIntent {
  const isControlPlane = output === "controlplane";
  const version = options.talosVersion ?? usualTalos;
  const disk = options.installDisk ?? "/dev/sda";
  const kubernetes = options.kubernetesVersion ?? talosDefaults(version).kubernetes;
  return {
    contract: contractOf(version).name,
    role: isControlPlane ? "control-plane" : "worker",
    cluster: {
      name: options.name,
      endpoint: checkedEndpoint(options.endpoint),
      kubernetes: kubernetes.replace(/^v/, ""),
      dnsDomain: options.dnsDomain,
      hasDiscovery: options.withClusterDiscovery ?? true,
      hasKubeSpan: options.withKubespan ?? false,
    },
    install: { disk: disk || undefined, image: options.installImage ?? defaultInstaller(version) },
    certSANs: options.additionalSans ?? [],
    registries: mirrorsOf(options.registryMirrors ?? []),
    patches: [
      ...(options.configPatches ?? []),
      ...((isControlPlane ? options.configPatchesControlPlane : options.configPatchesWorker) ?? []),
    ],
  };
}

function checkedEndpoint(endpoint: string): string {
  if (!endpoint.includes("://"))
    throw endpointUnusable({ endpoint, why: "it has no scheme and port", hint: `https://${endpoint}:6443` });
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || url.hostname === "")
    throw endpointUnusable({ endpoint, why: "it names no host", hint: "https://HOST:6443" });
  if (url.protocol !== "https:")
    throw endpointUnusable({
      endpoint,
      why: "its scheme is not https",
      hint: `https://${url.hostname}:6443`,
    });
  return endpoint;
}

/** The same host may stand there several times; its mirrors are asked in order. */
function mirrorsOf(flags: readonly string[]): Record<string, RegistryIntent> {
  const registries: Record<string, { endpoints: string[] }> = {};
  for (const flag of flags) {
    const [, host, url] = /^([^=]+)=(.+)$/.exec(flag) ?? [];
    if (host === undefined || url === undefined) throw mirrorUnclear({ flag });
    (registries[host] ??= { endpoints: [] }).endpoints.push(url);
  }
  return registries;
}

/** `machineconfig patch`: the config in `text` with the patches merged in their order. */
export const patchConfigText = (text: string, source: string, patches: readonly ConfigPatch[]): string =>
  encodeMachineConfig(patchMachineConfig(readDocuments(text, source), patches));
