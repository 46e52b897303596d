import { expect, test } from "vitest";
import { secretsIn, withSecrets } from "./intent-secrets.ts";
import type { MachineIntent } from "./machine-intent.ts";

const passphrase = { secret: { env: "DISK_KEY" } };

/** As a cluster file gives it that encrypts one partition and logs in to one registry. */
const intent = {
  encryption: { state: { keys: [{ passphrase }] }, ephemeral: undefined },
  registries: { "ghcr.io": { auth: { identityToken: { secret: { env: "TOKEN" } }, password: undefined } } },
} as unknown as MachineIntent;

test("secretsIn() passes over what is left undefined", () => {
  expect(secretsIn(intent).map(({ what }) => what)).toEqual([
    "the token of registry ghcr.io",
    "the passphrase of the state partition",
  ]);
});

test("withSecrets() puts values in the place of references, and nothing where nothing was", () => {
  const values = new Map(secretsIn(intent).map(({ key, what }) => [key, `value of ${what}`]));
  expect(withSecrets(intent, values)).toEqual({
    encryption: { state: { keys: [{ passphrase: "value of the passphrase of the state partition" }] } },
    registries: { "ghcr.io": { auth: { identityToken: "value of the token of registry ghcr.io" } } },
  });
});
