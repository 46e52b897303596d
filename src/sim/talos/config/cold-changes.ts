import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { fieldsAt, isFields, type Fields } from "./fields.ts";

const words = (text: string): Set<string> => new Set(text.split(" "));

/** What a running node up to 1.13 takes without a reboot; all other documents and the whole cluster section too. */
const hotMachineKeys = words(
  "ca acceptedCAs time certSANs install network sysfs sysctls logging controlPlane kubelet kernel registries pods seccompProfiles nodeLabels nodeAnnotations nodeTaints",
);
const hotFeatures = words("kubernetesTalosAPIAccess kubePrism hostDNS imageCache nodeAddressSortAlgorithm");
const hotTopKeys = words("debug cluster machine");

/** The fields that differ between two configs and need a reboot to come into force, as paths. */
export function coldChanges(before: string, after: string): string[] {
  const [old, next] = [mainDocument(before), mainDocument(after)];
  const machineKeys = new Set([...hotMachineKeys, "features"]);
  return [
    ...changed(old, next, hotTopKeys).map((key) => `.${key}`),
    ...changed(fieldsAt(old, "machine"), fieldsAt(next, "machine"), machineKeys).map(
      (key) => `.machine.${key}`,
    ),
    ...changed(fieldsAt(old, "machine", "features"), fieldsAt(next, "machine", "features"), hotFeatures).map(
      (key) => `.machine.features.${key}`,
    ),
  ];
}

const changed = (old: Fields, next: Fields, hot: Set<string>): string[] =>
  [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (key) => !hot.has(key) && !isDeepStrictEqual(old[key], next[key]),
  );

const mainDocument = (text: string): Fields =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isFields)
    .find((document) => document["kind"] === undefined) ?? {};
