import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectTalos } from "../../clients/talos/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError, type CallTrace, type Clock, type Dial } from "../../lib/index.ts";
import { bundleFromConfig, joinBundles, type Bundle } from "../../secrets/index.ts";
import { readTalosconfig } from "./config/index.ts";

export type TalosIdentity = Parameters<typeof connectTalos>[0]["identity"] & {};

export interface Route {
  dial: Dial;
  clock: Clock;
  calls: CallTrace;
}

const patienceMs = 5_000;

/**
 * The secrets of a running cluster, asked from its control planes with the talosconfig that lies where the secrets should.
 * Undefined when there is no talosconfig, or no control plane answers to it.
 */
export async function recoverBundle(folder: string, route: Route): Promise<Bundle | undefined> {
  const file = path.join(folder, "talosconfig");
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : askControlPlanes({ text, file }, [], route);
}

export interface Credential {
  text: string;
  file: string;
}

/** From all that answer: while an authority is exchanged, no single one of them knows where that stands. */
export async function askControlPlanes(
  { text, file }: Credential,
  more: string[],
  route: Route,
): Promise<Bundle | undefined> {
  try {
    const { endpoints, ca, cert, key } = readTalosconfig(text, file);
    const addresses = [...new Set([...endpoints, ...more])];
    const answers = await Promise.all(addresses.map((address) => askNode(address, { ca, cert, key }, route)));
    const [first, ...others] = answers.flatMap((bundle) => bundle ?? []);
    return first && joinBundles(first, ...others);
  } catch (thrown) {
    // A talosconfig that cannot be read is as good as none.
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return undefined;
  }
}

async function askNode(address: string, identity: TalosIdentity, route: Route): Promise<Bundle | undefined> {
  const client = connectTalos({ address, ...route, identity });
  const never = new AbortController().signal;
  try {
    const config = await limitTime(route.clock, patienceMs, "no answer", never, (signal) =>
      client.machineConfig({ signal }),
    );
    return bundleFromConfig(config ?? "", `the config of ${address}`);
  } catch (thrown) {
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return undefined;
    throw thrown;
  } finally {
    client.close();
  }
}
