import { realRandom } from "../../../src/lib/index.ts";
import { keysIn, recipientOf } from "../../../src/secrets/index.ts";
import { writeSopsYaml } from "../../../src/secrets/sops/sops-file.ts";
import { hostsObject, labBundle, namespace, secret } from "./fleet-site.ts";

export const documentsName = "lab-documents";

/** Secrets as git has them, in the ConfigMap that a tool makes of them. */
export async function documentsFor(identity: string) {
  const recipient = (await recipientOf(keysIn(identity, "the key of a test"))) ?? "";
  const writing = { recipients: [recipient], random: realRandom, now: 0 };
  return {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: documentsName, namespace } },
    data: { "secrets.sops.yaml": await writeSopsYaml(await labBundle(), writing) },
  };
}

/** The Secret with the key of a controller, and hosts that name it. */
export function hostsWithKey(net: string, identity: string) {
  const hosts = hostsObject(net);
  const ageKey = { secret: { name: "sops-age", key: "age.agekey" } };
  return {
    key: secret("sops-age", { "age.agekey": `# created by age-keygen\n${identity}\n` }),
    hosts: { ...hosts, spec: { ...hosts.spec, ageKey } },
  };
}
