import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectTalos } from "../../clients/talos/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError, type CallTrace, type Clock, type Dial } from "../../lib/index.ts";
import { bundleFromConfig, type Bundle } from "../../secrets/index.ts";
import { readTalosconfig } from "./config/index.ts";

interface Route {
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
  if (text === undefined) return undefined;
  try {
    const { endpoints, ca, cert, key } = readTalosconfig(text, file);
    for (const address of endpoints) {
      const bundle = await askNode(address, { ca, cert, key }, route);
      if (bundle) return bundle;
    }
  } catch (thrown) {
    // A talosconfig that cannot be read is as good as none.
    if (!(thrown instanceof SlipwayError)) throw thrown;
  }
  return undefined;
}

async function askNode(
  address: string,
  identity: { ca: string; cert: string; key: string },
  route: Route,
): Promise<Bundle | undefined> {
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
