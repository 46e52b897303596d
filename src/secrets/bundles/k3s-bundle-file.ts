import { parseDocument } from "yaml";
import { writeYaml } from "../../lib/index.ts";
import { BundleReader, base64, encodedPair } from "./bundle-reader.ts";
import { bundleDamaged } from "../errors.ts";
import {
  k3sAuthorityNames,
  k3sCaStages,
  type K3sAuthorityName,
  type K3sBundle,
  type K3sCaRotation,
  type K3sCaStage,
} from "./k3s-bundle.ts";

/** The file that holds a bundle. PEM stands in base64, as in the bundles of Talos. */
export const writeK3sBundle = (bundle: K3sBundle): string =>
  writeYaml({
    tokens: {
      server: bundle.token,
      agent: bundle.agentToken,
      next: bundle.nextTokens && { ...bundle.nextTokens },
      former: bundle.formerTokens,
    },
    certs: {
      root: encodedPair(bundle.root),
      intermediate: encodedPair(bundle.intermediate),
      ...byName((name) => encodedPair(bundle.authorities[name])),
      service: { key: base64(bundle.serviceKey) },
    },
    rotation: bundle.rotation && encodedRotation(bundle.rotation),
  });

const encodedRotation = ({ stage, previous, cross }: K3sCaRotation) => ({
  stage,
  previous: byName((name) => base64(previous[name])),
  cross: byName((name) => base64(cross[name])),
});

/** Reads and checks a bundle. All that is wrong is told at once; `file` is named in the error. */
export function parseK3sBundle(text: string, file: string): K3sBundle {
  const document = parseDocument(text, { logLevel: "silent" });
  const [broken] = document.errors;
  if (broken)
    throw bundleDamaged({ file, problems: [`it is not YAML (${broken.code})`], cause: broken.code });
  const reader = new BundleReader(document.toJS());
  const bundle: K3sBundle = {
    token: reader.text("tokens.server", isPassword),
    agentToken: reader.text("tokens.agent", isPassword),
    ...readOtherTokens(reader),
    root: reader.pair("certs.root", true),
    intermediate: reader.pair("certs.intermediate", true),
    authorities: byName((name) => reader.pair(`certs.${name}`)),
    serviceKey: reader.key("certs.service.key"),
    ...readRotation(reader),
  };
  if (reader.problems.length > 0) throw bundleDamaged({ file, problems: reader.problems });
  return bundle;
}

function readOtherTokens(reader: BundleReader): Pick<K3sBundle, "nextTokens" | "formerTokens"> {
  const server = reader.text("tokens.next.server", isPassword, true);
  const formerTokens = reader.texts("tokens.former", isPassword);
  return {
    ...(server !== "" && { nextTokens: { server, agent: reader.text("tokens.next.agent", isPassword) } }),
    ...(formerTokens.length > 0 && { formerTokens }),
  };
}

function readRotation(reader: BundleReader): Pick<K3sBundle, "rotation"> {
  const stage = reader.text("rotation.stage", isStage, true) as K3sCaStage | "";
  if (stage === "") return {};
  const certificates = (of: string) => byName((name) => reader.certificate(`rotation.${of}.${name}`));
  return { rotation: { stage, previous: certificates("previous"), cross: certificates("cross") } };
}

const byName = <T>(make: (name: K3sAuthorityName) => T): Record<K3sAuthorityName, T> =>
  Object.fromEntries(k3sAuthorityNames.map((name) => [name, make(name)])) as Record<K3sAuthorityName, T>;

/** A colon would end it early, and a dot in the wrong place makes K3s take it for a token of another kind. */
const isPassword = (value: string): boolean => /^[0-9A-Za-z]{16,}$/.test(value);
const isStage = (value: string): boolean => k3sCaStages.some((stage) => stage === value);
