import { isMap } from "../config-document.ts";
import { viewDocuments } from "../patch/read-patch.ts";

/** One field, as it is and as it should be. */
export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

/** Values below these keys are secret and are only said to differ. */
const secretKeys = new Set([
  "token",
  "key",
  "secret",
  "crt",
  "ca",
  "acceptedCAs",
  "issuingCA",
  "id",
  "secretboxEncryptionSecret",
  "aescbcEncryptionSecret",
  "password",
  "auth",
  "identityToken",
  "privateKey",
]);

/** What differs between the config a node should run with and the one it runs with, path by path, secrets hidden. */
export function compareConfigs(wanted: string, running: string): { differences: FieldChange[] } {
  // Reading a config takes longer than asking for it, and most nodes run with what they should.
  if (wanted === running) return { differences: [] };
  const left = documentsByName(running);
  const right = documentsByName(wanted);
  const differences: FieldChange[] = [];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    compareValues(name === "v1alpha1" ? [] : [name], left.get(name), right.get(name), differences);
  }
  return { differences };
}

function documentsByName(text: string): Map<string, unknown> {
  return new Map(
    viewDocuments(text, "machine config").map((document) => {
      const { kind, name } = document as { kind?: string; name?: string };
      return [kind === undefined ? "v1alpha1" : name === undefined ? kind : `${kind} ${name}`, document];
    }),
  );
}

function compareValues(path: string[], from: unknown, to: unknown, into: FieldChange[]): void {
  // Documents of the same text are the same ones.
  if (from === to) return;
  if (isMap(from) && isMap(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compareValues([...path, key], from[key], to[key], into);
    }
    return;
  }
  const [left, right] = [JSON.stringify(from), JSON.stringify(to)];
  if (left === right) return;
  const isSecret = path.some((key) => secretKeys.has(key));
  into.push({
    field: path.join("."),
    from: isSecret ? "(secret)" : shown(left),
    to: isSecret ? "(another secret)" : shown(right),
  });
}

const shown = (json: string | undefined): string =>
  json === undefined ? "absent" : json.replaceAll('"', "");
