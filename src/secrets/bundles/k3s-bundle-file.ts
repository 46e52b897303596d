import { parseDocument } from "yaml";
import { writeYaml } from "../../lib/index.ts";
import { BundleReader, base64, encodedPair } from "./bundle-reader.ts";
import { bundleDamaged } from "../errors.ts";
import { k3sAuthorityNames, type K3sAuthorityName, type K3sBundle } from "./k3s-bundle.ts";

/** The file that holds a bundle. PEM stands in base64, as in the bundles of Talos. */
export const writeK3sBundle = (bundle: K3sBundle): string =>
  writeYaml({
    tokens: { server: bundle.token, agent: bundle.agentToken },
    certs: {
      root: encodedPair(bundle.root),
      intermediate: encodedPair(bundle.intermediate),
      ...Object.fromEntries(
        k3sAuthorityNames.map((name) => [name, encodedPair(bundle.authorities[name])] as const),
      ),
      service: { key: base64(bundle.serviceKey) },
    },
  });

/** Reads and checks a bundle. All that is wrong is told at once; `file` is named in the error. */
export function parseK3sBundle(text: string, file: string): K3sBundle {
  const document = parseDocument(text, { logLevel: "silent" });
  const [broken] = document.errors;
  if (broken)
    throw bundleDamaged({ file, problems: [`it is not YAML (${broken.code})`], cause: broken.code });
  const reader = new BundleReader(document.toJS());
  const authority = (name: K3sAuthorityName) => [name, reader.pair(`certs.${name}`)] as const;
  const bundle: K3sBundle = {
    token: reader.text("tokens.server", isPassword),
    agentToken: reader.text("tokens.agent", isPassword),
    root: reader.pair("certs.root"),
    intermediate: reader.pair("certs.intermediate"),
    authorities: Object.fromEntries(k3sAuthorityNames.map(authority)) as K3sBundle["authorities"],
    serviceKey: reader.key("certs.service.key"),
  };
  if (reader.problems.length > 0) throw bundleDamaged({ file, problems: reader.problems });
  return bundle;
}

/** A colon would end it early, and a dot in the wrong place makes K3s take it for a token of another kind. */
const isPassword = (value: string): boolean => /^[0-9A-Za-z]{16,}$/.test(value);
