import { acceptedBeside, caStages, type Bundle, type CaName } from "../../../../secrets/index.ts";
import { isMap, type MachineConfigDocument } from "../config-document.ts";
import { base64, encodedIdentity, unlessEmpty } from "../config-values.ts";
import { isMainDocument } from "../shapes/document-shapes.ts";

type Documents = readonly MachineConfigDocument[];

/** What a node signs with, and what it accepts: PEM. */
export interface NodeAuthorities {
  issuing: string;
  accepted: string[];
}

/** From contract 1.14 on Kubernetes has a document for its authority, in which PEM stands as it is. */
const ownKind = "KubeAPIServerCAConfig";
const sections = { os: "machine", kubernetes: "cluster" } as const;

/** Read from a running config, whatever contract wrote it. */
export function authoritiesIn(documents: Documents, name: CaName): NodeAuthorities {
  const own = documentOf(documents, name);
  if (own) {
    const [first = "", ...others] = listOf(own["acceptedCAs"]).map(String);
    const issuing = textAt(own["issuingCA"], "cert");
    // A worker accepts all it knows, the one that issues first.
    return issuing === ""
      ? { issuing: first, accepted: others }
      : { issuing, accepted: [first, ...others].filter((cert) => cert !== "") };
  }
  const section = sectionOf(documents, name);
  return {
    issuing: decode(textAt(section?.["ca"], "crt")),
    accepted: listOf(section?.["acceptedCAs"]).map(certOf),
  };
}

/** How many stages of the exchange a node has behind it; undefined where it has authorities of which the bundle knows nothing. */
export function stageReached(
  { issuing, accepted }: NodeAuthorities,
  bundle: Pick<Bundle, CaName | "rotation">,
  name: CaName,
): number | undefined {
  const rotation = bundle.rotation?.[name];
  const own = bundle[name].cert;
  if (!rotation) return issuing === own ? 0 : undefined;
  const [before, after] = rotation.stage === "accept" ? [own, rotation.next.cert] : [rotation.previous, own];
  if (issuing === before) return accepted.includes(after) ? 1 : 0;
  if (issuing === after) return accepted.includes(before) ? 2 : 3;
  return undefined;
}

/** The stage that the bundle wants of every node: none is further, and none more than one behind. */
export const stageWanted = ({ rotation }: Pick<Bundle, "rotation">, name: CaName): number => {
  const stage = rotation?.[name]?.stage;
  return stage === undefined ? 0 : caStages.indexOf(stage) + 1;
};

/** A running config with the authority as the bundle has it now, and all else as it runs. */
export function withAuthority(
  documents: Documents,
  bundle: Bundle,
  name: CaName,
  isControlPlane: boolean,
): MachineConfigDocument[] {
  const own = documentOf(documents, name);
  const beside = acceptedBeside(bundle, name);
  const known = [bundle[name].cert, ...pairOf(bundle, name)];
  if (own) {
    const others = listOf(own["acceptedCAs"]).map(String);
    const accepted = [...beside, ...others.filter((cert) => !known.includes(cert))];
    const { issuingCA: _issuing, acceptedCAs: _accepted, ...rest } = own;
    const changed = isControlPlane
      ? { ...rest, issuingCA: { ...bundle[name] }, acceptedCAs: unlessEmpty(accepted) }
      : { ...rest, acceptedCAs: [bundle[name].cert, ...accepted] };
    return documents.map((document) => (document === own ? changed : document));
  }
  const others = listOf(sectionOf(documents, name)?.["acceptedCAs"]);
  return withSection(documents, name, {
    ca: encodedIdentity(bundle[name], isControlPlane),
    acceptedCAs: unlessEmpty([
      ...beside.map((cert) => ({ crt: base64(cert) })),
      ...others.filter((each) => !known.includes(certOf(each))),
    ]),
  });
}

/** The wanted config with the authorities that a node runs with: only a rotation moves these. */
export function withRunningAuthority(
  wanted: Documents,
  running: Documents,
  name: CaName,
): MachineConfigDocument[] {
  const [own, theirs] = [documentOf(wanted, name), documentOf(running, name)];
  if (own && theirs) return wanted.map((document) => (document === own ? theirs : document));
  const { ca, acceptedCAs } = sectionOf(running, name) ?? {};
  return withSection(wanted, name, { ca, acceptedCAs });
}

const pairOf = ({ rotation }: Bundle, name: CaName): string[] => {
  const found = rotation?.[name];
  return !found ? [] : [found.stage === "accept" ? found.next.cert : found.previous];
};

const documentOf = (documents: Documents, name: CaName): MachineConfigDocument | undefined =>
  name === "kubernetes" ? documents.find((document) => document["kind"] === ownKind) : undefined;

const sectionOf = (documents: Documents, name: CaName): MachineConfigDocument | undefined => {
  const found = documents.find(isMainDocument)?.[sections[name]];
  return isMap(found) ? found : undefined;
};

const withSection = (documents: Documents, name: CaName, fields: object): MachineConfigDocument[] =>
  documents.map((document) =>
    isMainDocument(document)
      ? { ...document, [sections[name]]: { ...sectionOf(documents, name), ...fields } }
      : document,
  );

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const textAt = (value: unknown, key: string): string => {
  const found = isMap(value) ? value[key] : undefined;
  return typeof found === "string" ? found : "";
};
const certOf = (value: unknown): string => decode(textAt(value, "crt"));
const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");
