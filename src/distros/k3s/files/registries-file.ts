import { writeYaml, type YamlValue } from "../../../lib/index.ts";
import type { K3sSettings, Registry, SecretRef } from "../../../spec/index.ts";
import { k3sPaths, type NodeFile } from "../paths.ts";

/** Credentials by the host of the registry, read already. */
export type RegistryCredentials = Record<string, { username: string; password: string } | { token: string }>;

type RegistrySettings = Pick<K3sSettings, "registries" | "embeddedRegistry">;

/** Reads what the cluster file only refers to. */
export async function readCredentials(
  { registries = {} }: RegistrySettings,
  resolve: (ref: SecretRef, what: string) => Promise<string>,
): Promise<RegistryCredentials> {
  const read = Object.entries(registries).flatMap(([host, { auth }]) => (auth ? [{ host, auth }] : []));
  const entries = read.map(async ({ host, auth }) => {
    if ("token" in auth)
      return [host, { token: await resolve(auth.token, `the token of registry "${host}"`) }] as const;
    const password = await resolve(auth.password, `the password of registry "${host}"`);
    return [host, { username: auth.username, password }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** registries.yaml and the certificates it names; none where nothing is said about registries. */
export function registryFiles(settings: RegistrySettings, credentials: RegistryCredentials): NodeFile[] {
  const registries = Object.entries(settings.registries ?? {});
  if (registries.length === 0 && !settings.embeddedRegistry) return [];
  const mirrors = registries.filter(([, one]) => one.mirrors?.length || settings.embeddedRegistry);
  // Nodes hand on only what stands under mirrors.
  const shared: [string, YamlValue][] = registries.length === 0 ? [["*", {}]] : [];
  const configs = registries.flatMap(([host, one]): [string, YamlValue][] => {
    const config = access(host, one, credentials[host]);
    return Object.values(config).some((value) => value !== undefined) ? [[host, config]] : [];
  });
  const content = writeYaml({
    mirrors: Object.fromEntries([...mirrors.map(([host, one]) => [host, mirror(one)] as const), ...shared]),
    configs: configs.length === 0 ? undefined : Object.fromEntries(configs),
  });
  return [
    { path: k3sPaths.registriesFile, mode: "0600", content },
    ...registries.flatMap(([host, { ca }]) =>
      ca === undefined ? [] : [{ path: authorityPath(host), mode: "0644", content: ca }],
    ),
  ];
}

const mirror = ({ mirrors, overridePath }: Registry): YamlValue =>
  mirrors?.length ? { endpoint: mirrors.map((url) => (overridePath ? url : withVersion(url))) } : {};

/** K3s takes an address with a path as it is; without one it puts the usual path behind it. */
const withVersion = (url: string): string =>
  new URL(url).pathname === "/" ? url : `${url.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2`;

const access = (
  host: string,
  registry: Registry,
  credential: RegistryCredentials[string] | undefined,
): Record<string, YamlValue> => ({
  auth: credential && ("token" in credential ? { identity_token: credential.token } : credential),
  tls:
    registry.ca === undefined && !registry.insecure
      ? undefined
      : {
          ca_file: registry.ca === undefined ? undefined : authorityPath(host),
          insecure_skip_verify: registry.insecure ? true : undefined,
        },
});

/** A colon before a port would be taken for a list of files by some tools. */
const authorityPath = (host: string): string =>
  `${k3sPaths.configFolder}/registry-${host.replaceAll(/[^A-Za-z0-9.-]/g, "-")}.pem`;
