import { CallTrace } from "../../lib/index.ts";
import { asFields, asFlag, asRecords, asText } from "./wire/answers.ts";
import { accessCalls, type AccessCalls } from "./calls/access.ts";
import { makeCall } from "./wire/call.ts";
import { clusterCalls, type ProxmoxClient, type ProxmoxOptions } from "./client.ts";
import { hostFactCalls } from "./calls/host-facts.ts";
import { machineCalls } from "./calls/machines.ts";
import { storageCalls } from "./calls/storages.ts";
import { taskStarter, taskWatcher } from "./task.ts";
import { Connections } from "./wire/connection.ts";
import { secondFactor } from "./errors.ts";

export interface LoginOptions extends Omit<ProxmoxOptions, "token"> {
  /** `root@pam`. */
  user: string;
  password: string;
}

/** What is read of a server before anybody works with it, as a person or with a token. */
export type ProxmoxReads = Pick<
  ProxmoxClient,
  "version" | "nodes" | "nodeStatus" | "networks" | "storages" | "machines" | "machineState" | "guests"
>;

/** A person's own session, for what tokens may not do: making users and tokens. */
export interface ProxmoxSession extends AccessCalls, ProxmoxReads {
  readonly url: string;
  /** Which zone each vnet belongs to. */
  vnetZones(signal?: AbortSignal): Promise<Map<string, string>>;
  close(): void;
}

/** Logs in with a password. The session ends by itself after two hours. */
export async function loginProxmox(options: LoginOptions, signal?: AbortSignal): Promise<ProxmoxSession> {
  const url = new URL(options.url);
  const { trust, dial, clock, onCall, callTimeoutMs: timeoutMs = 35_000, user, password } = options;
  const { calls = new CallTrace() } = options;
  const connections = new Connections({ url, trust, dial });
  const way = { url, connections, clock, calls, timeoutMs, onCall };
  const ask = makeCall({ ...way, credentials: {} });
  const params = { username: user, password };
  const answer = asFields(await ask("POST /access/ticket", `log in as ${user}`, params, signal));
  if (asFlag(answer["NeedTFA"])) throw secondFactor({ user, url: url.origin });
  const call = makeCall({
    ...way,
    credentials: {
      cookie: `PVEAuthCookie=${encodeURIComponent(asText(answer["ticket"]))}`,
      csrfpreventiontoken: asText(answer["CSRFPreventionToken"]),
    },
  });
  const start = taskStarter(call, taskWatcher(call, clock, url.origin));
  return {
    url: url.origin,
    ...accessCalls(call),
    ...clusterCalls(call),
    ...hostFactCalls(call),
    ...storageCalls(call, start),
    ...machineCalls(call, start),
    vnetZones: async (ending) =>
      new Map(
        asRecords(await call("GET /cluster/sdn/vnets", "list virtual networks", {}, ending)).map((vnet) => [
          asText(vnet["vnet"]),
          asText(vnet["zone"]),
        ]),
      ),
    close: () => connections.destroy(),
  };
}
