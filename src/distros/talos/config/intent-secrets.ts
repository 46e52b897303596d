import { secretNotRead } from "./errors.ts";
import type {
  EncryptionIntent,
  HiddenText,
  MachineIntent,
  RegistryIntent,
  SecretRef,
} from "./machine-intent.ts";

/** A secret that a machine config needs and a plan only refers to. */
export interface NeededSecret {
  /** Under which its value is handed to `withSecrets`; the same place has the same key. */
  key: string;
  ref: SecretRef;
  /** For people: `the password of registry ghcr.io`. */
  what: string;
}

/** The secrets an intent refers to, each once. */
export function secretsIn(intent: MachineIntent): NeededSecret[] {
  const needed = new Map<string, NeededSecret>();
  replaceSecrets(intent, (secret) => {
    if (!needed.has(secret.key)) needed.set(secret.key, secret);
    return { secret: secret.ref };
  });
  return [...needed.values()];
}

/** The intent with values in the place of references; those without a value stay. */
export const withSecrets = (intent: MachineIntent, values: ReadonlyMap<string, string>): MachineIntent =>
  replaceSecrets(intent, ({ key, ref }) => values.get(key) ?? { secret: ref });

/** The value that goes into the config; a reference must never get there. */
export function plainText(text: HiddenText | undefined): string | undefined {
  if (typeof text === "object") throw secretNotRead();
  return text;
}

type Replace = (secret: NeededSecret) => HiddenText;

function replaceSecrets(intent: MachineIntent, replace: Replace): MachineIntent {
  const hidden = (text: HiddenText, what: string): HiddenText =>
    typeof text === "string" ? text : replace({ key: JSON.stringify(text.secret), ref: text.secret, what });
  const { registries, encryption, volumes } = intent;
  return {
    ...intent,
    registries:
      registries &&
      Object.fromEntries(
        Object.entries(registries).map(([host, each]) => [host, registry(each, host, hidden)]),
      ),
    encryption: encryption && {
      state: encryption.state && keys(encryption.state, "the state partition", hidden),
      ephemeral: encryption.ephemeral && keys(encryption.ephemeral, "the ephemeral partition", hidden),
    },
    volumes: volumes?.map((volume) =>
      volume.encryption
        ? { ...volume, encryption: keys(volume.encryption, `volume ${volume.name}`, hidden) }
        : volume,
    ),
  };
}

type Hidden = (text: HiddenText, what: string) => HiddenText;

function registry(each: RegistryIntent, host: string, hidden: Hidden): RegistryIntent {
  if (!each.auth) return each;
  const { username, ...secrets } = each.auth;
  const replaced = Object.entries(secrets).map(([name, text]) => [
    name,
    text && hidden(text, `the ${name === "identityToken" ? "token" : name} of registry ${host}`),
  ]);
  return {
    ...each,
    auth: { username, ...Object.fromEntries(replaced) },
  };
}

const keys = (each: EncryptionIntent, of: string, hidden: Hidden): EncryptionIntent => ({
  keys: each.keys.map((key) =>
    "passphrase" in key ? { passphrase: hidden(key.passphrase, `the passphrase of ${of}`) } : key,
  ),
});
