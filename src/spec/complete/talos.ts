import { given, givenAny, unlessEmpty } from "../../lib/index.ts";
import type { WrittenCluster } from "../schema/cluster.ts";
import { secretRef } from "../schema/host.ts";
import type { WrittenNodeTalos } from "../schema/node-talos.ts";
import type { TalosDistribution } from "../model/cluster.ts";
import type { ImageSource } from "../model/image.ts";
import type { DiskKey, KubernetesSettings, NodeTalos, Registry, TalosSettings } from "../model/talos.ts";
import type { WrittenTalos } from "../schema/talos.ts";

export function completeTalos({ talos, image }: WrittenCluster): TalosDistribution {
  const extensions = talos.extensions.map((name) => (name.includes("/") ? name : `siderolabs/${name}`));
  return {
    kind: "talos",
    version: talos.version,
    extensions: [...new Set(extensions)].toSorted(),
    kernelArgs: talos.kernelArgs,
    architecture: talos.architecture,
    ...given({
      isSecureBoot: talos.secureBoot ? (true as const) : undefined,
      image: image && imageSource(image),
    }),
    factory: talos.factory,
    firstContact: talos.firstContact,
    ...given({ settings: talosSettings(talos) }),
  };
}

export function imageSource({
  url,
  file,
  folder,
  checksum,
}: NonNullable<WrittenCluster["image"]>): ImageSource | undefined {
  if (folder !== undefined) return { folder };
  if (file !== undefined) return given({ file, checksum });
  return url === undefined ? undefined : given({ url, checksum });
}

const talosSettings = (talos: WrittenTalos): TalosSettings | undefined =>
  givenAny({
    contract: talos.contract,
    certSANs: unlessEmpty(talos.certSANs && [...new Set(talos.certSANs)]),
    registries:
      talos.registries &&
      Object.fromEntries(
        Object.entries(talos.registries).map(([host, written]) => [host, completeRegistry(written)]),
      ),
    encryption:
      talos.encryption &&
      given({ state: diskKey(talos.encryption.state), ephemeral: diskKey(talos.encryption.ephemeral) }),
    workloadIsolation: talos.workloadIsolation,
    discovery: talos.discovery,
    kubeSpan: talos.kubeSpan,
  });

type WrittenRegistry = NonNullable<WrittenTalos["registries"]>[string];

export const completeRegistry = (written: WrittenRegistry): Registry =>
  given({
    ...written,
    mirrors: unlessEmpty(written.mirrors),
    auth: written.auth && registryAuth(written.auth),
  });

/** Half of it is refused by the checks. */
function registryAuth({ username, password, token }: NonNullable<WrittenRegistry["auth"]>): Registry["auth"] {
  if (username !== undefined && password) return { username, password: secretRef(password) };
  return token && { token: secretRef(token) };
}

function diskKey(written: NonNullable<WrittenTalos["encryption"]>["state"]): DiskKey | undefined {
  if (written?.passphrase) return { passphrase: secretRef(written.passphrase) };
  if (written?.kms !== undefined) return { kms: written.kms };
  if (written?.tpm === true) return { tpm: true };
  return written?.nodeId === true ? { nodeId: true } : undefined;
}

/** What a node is told, the nearest word first: its own, its pool's, its cluster's. Maps are joined, lists added up. */
export function nodeTalos(...written: (WrittenNodeTalos | undefined)[]): NodeTalos | undefined {
  const said = written.filter((each) => each !== undefined);
  const maps = <T>(of: (each: WrittenNodeTalos) => Record<string, T> | undefined) =>
    unlessBlank(Object.assign({}, ...said.toReversed().map(of)) as Record<string, T>);
  const modules = said.toReversed().flatMap((each) => each.kernelModules ?? []);
  return givenAny({
    installDisk: said.map((each) => each.installDisk).find((disk) => disk !== undefined),
    kernelModules: unlessEmpty([
      ...new Map(modules.map(kernelModule).map((each) => [each.name, each])).values(),
    ]),
    sysctls: maps((each) => each.sysctls),
    kubelet: givenAny({
      args: maps((each) => each.kubelet?.args),
      config: maps((each) => each.kubelet?.config),
      mounts: unlessEmpty([...new Set(said.toReversed().flatMap((each) => each.kubelet?.mounts ?? []))]),
    }),
  });
}

const unlessBlank = <T extends object>(map: T): T | undefined =>
  Object.keys(map).length > 0 ? map : undefined;

const kernelModule = (written: NonNullable<WrittenNodeTalos["kernelModules"]>[number]) =>
  typeof written === "string"
    ? { name: written }
    : { name: written.name, ...given({ parameters: unlessEmpty(written.parameters) }) };

export const kubernetesSettings = (written: WrittenCluster): KubernetesSettings | undefined =>
  givenAny({
    cni: written.network.cni,
    kubeProxy: written.network.kubeProxy,
    scheduleOnControlPlanes: written.scheduleOnControlPlanes,
    externalCloudProvider: written.externalCloudProvider,
    extraManifests: unlessEmpty(written.extraManifests),
    inlineManifests: unlessEmpty(
      Object.entries(written.inlineManifests ?? {}).map(([name, contents]) => ({ name, contents })),
    ),
  });
