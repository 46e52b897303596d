import type { YamlValue } from "../../../../lib/index.ts";
import { configDocument, type MachineConfigDocument } from "../config-document.ts";
import { base64, sorted } from "../config-values.ts";
import { writes, type Contract } from "../contract.ts";
import { plainText } from "../intent-secrets.ts";
import type { MachineIntent, RegistryIntent } from "../machine-intent.ts";

/** `machine.registries` before contract 1.12. */
export function registrySection(intent: MachineIntent, contract: Contract): YamlValue {
  const registries = Object.entries(intent.registries ?? {});
  if (registries.length === 0 || writes.networkDocuments(contract)) return undefined;
  const mirrors = registries.filter(([, { endpoints }]) => endpoints?.length);
  const others = registries.filter(([, { auth, tls }]) => auth ?? tls);
  return {
    mirrors: sorted(Object.fromEntries(mirrors.map(([host, registry]) => [host, mirror(registry)]))),
    config: sorted(Object.fromEntries(others.map(([host, registry]) => [host, access(registry)]))),
  };
}

const mirror = (registry: RegistryIntent): MachineConfigDocument => ({
  endpoints: registry.endpoints,
  overridePath: registry.isPathOverridden,
  skipFallback: registry.isFallbackSkipped,
});

const access = ({ auth, tls }: RegistryIntent): MachineConfigDocument => ({
  tls: tls && {
    ca: tls.ca === undefined ? undefined : base64(tls.ca),
    insecureSkipVerify: tls.isVerificationSkipped,
  },
  auth: auth && plainAuth(auth),
});

/** In Talos's order of fields. */
const plainAuth = (auth: NonNullable<RegistryIntent["auth"]>): MachineConfigDocument => ({
  username: auth.username,
  password: plainText(auth.password),
  auth: plainText(auth.auth),
  identityToken: plainText(auth.identityToken),
});

/** The documents of later contracts, sorted by kind, then by host. */
export function registryDocuments(intent: MachineIntent, contract: Contract): MachineConfigDocument[] {
  if (!writes.networkDocuments(contract)) return [];
  const registries = Object.entries(intent.registries ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...registries.flatMap(([name, { auth }]) =>
      auth ? [configDocument("RegistryAuthConfig", { name, ...plainAuth(auth) })] : [],
    ),
    ...registries.flatMap(([name, registry]) =>
      registry.endpoints?.length ? [mirrorDocument(name, registry, registry.endpoints)] : [],
    ),
    ...registries.flatMap(([name, { tls }]) =>
      tls
        ? [
            configDocument("RegistryTLSConfig", {
              name,
              ca: tls.ca,
              insecureSkipVerify: tls.isVerificationSkipped,
            }),
          ]
        : [],
    ),
  ];
}

const mirrorDocument = (name: string, registry: RegistryIntent, endpoints: string[]): MachineConfigDocument =>
  configDocument("RegistryMirrorConfig", {
    name,
    endpoints: endpoints.map((url) => ({ url, overridePath: registry.isPathOverridden })),
    skipFallback: registry.isFallbackSkipped,
  });
