import { isMap, type MachineConfigDocument } from "../config-document.ts";
import { isMainDocument } from "../shapes/document-shapes.ts";

/** Where a config lists the names of the certificates that its node makes itself. */
const places = [
  { path: ["machine", "certSANs"] },
  { path: ["cluster", "apiServer", "certSANs"] },
  { kind: "KubeAPIServerConfig", path: ["certExtraSANs"] },
];

/**
 * The config as wanted, with the further names that the node's certificates have, where all of these may stay. Without
 * them an API server would start again only to answer to less.
 */
export function withRunningNames(
  wanted: readonly MachineConfigDocument[],
  running: readonly MachineConfigDocument[],
  mayStay: (name: string) => boolean,
): MachineConfigDocument[] {
  return wanted.map((document) =>
    places
      .filter((place) => isOf(place, document))
      .reduce((changed, place) => {
        const names = namesAt(changed, place.path);
        const found = running.find((each) => isOf(place, each));
        const have = found === undefined ? [] : namesAt(found, place.path);
        const isKept =
          names.every((name) => have.includes(name)) &&
          have.every((name) => names.includes(name) || mayStay(name));
        return isKept && have.length > names.length ? withNames(changed, place.path, have) : changed;
      }, document),
  );
}

const isOf = ({ kind }: { kind?: string }, document: MachineConfigDocument): boolean =>
  kind === undefined ? isMainDocument(document) : document["kind"] === kind;

function namesAt(document: MachineConfigDocument, path: readonly string[]): string[] {
  const found = path.reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), document);
  return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
}

function withNames(
  document: MachineConfigDocument,
  [key = "", ...rest]: readonly string[],
  names: string[],
): MachineConfigDocument {
  const inner = document[key];
  return {
    ...document,
    [key]: rest.length === 0 ? names : withNames(isMap(inner) ? inner : {}, rest, names),
  };
}
