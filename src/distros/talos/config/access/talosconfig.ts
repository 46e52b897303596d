import { writeYaml } from "../../../../lib/index.ts";
import { toTalosKey, type Identity } from "../../../../pki/index.ts";
import { trusted, type Bundle } from "../../../../secrets/index.ts";
import type { IssueOptions } from "../../../../pki/index.ts";
import { issueTalosClient } from "./client-certificates.ts";
import { base64 } from "../config-values.ts";

export interface TalosconfigFields {
  cluster: string;
  /** Control planes, each by its own address: a shared address may be away when it is needed most. */
  endpoints: string[];
  /** Nodes that commands speak to unless told otherwise. */
  nodes?: string[];
}

/** The file `talosctl` reads. Made from the bundle alone, without asking a node. */
export async function talosconfig(
  fields: TalosconfigFields,
  bundle: Pick<Bundle, "os" | "rotation">,
  options: IssueOptions,
): Promise<string> {
  return writeTalosconfig(fields, trusted(bundle, "os"), await issueTalosClient(bundle, options));
}

export const writeTalosconfig = (fields: TalosconfigFields, authority: string, client: Identity): string =>
  writeYaml({
    context: fields.cluster,
    contexts: {
      [fields.cluster]: {
        endpoints: fields.endpoints,
        nodes: fields.nodes?.length ? fields.nodes : undefined,
        ca: base64(authority),
        crt: base64(client.cert),
        key: base64(toTalosKey(client.key)),
      },
    },
  });
