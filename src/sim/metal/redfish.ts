import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { groupBy, readBody, type Clock, type Random } from "../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../pki/index.ts";
import type { FaultBox } from "../faults.ts";
import type { Listening, SimNetwork } from "../network.ts";
import type { MachinePower } from "./machine-power.ts";

interface Controlled {
  name: string;
  /** Several machines may share one controller. */
  url: string;
  user: string;
  password: string;
  system: string;
  power: MachinePower;
}

export interface RedfishOptions {
  machines: Controlled[];
  network: SimNetwork;
  clock: Clock;
  random: Random;
  faults: FaultBox;
}

export interface SimRedfish {
  /** PEM of the authority that vouches for every controller. */
  ca: string;
  close(): Promise<void>;
}

const year = 365 * 24 * 3_600_000;
const mostBytes = 2 ** 20;

/** Management controllers that speak Redfish: one server for each address. */
export async function startRedfish(options: RedfishOptions): Promise<SimRedfish> {
  const { machines, network, clock, random } = options;
  // Where there is none, nothing is left to chance either: what comes after it stays the same.
  if (machines.length === 0) return { ca: "", close: async () => {} };
  const validity = { notBefore: clock.now() - 3_600_000, lifetimeMs: 10 * year, random };
  const authority = await createAuthority({
    kind: "p256",
    organization: "Simulated controllers",
    ...validity,
  });
  const open: { server: https.Server; listening: Listening }[] = [];
  for (const [url, own] of groupBy(machines, (machine) => machine.url.replace(/\/+$/, ""))) {
    const { hostname, port } = new URL(url);
    const identity = await issueCertificate({
      authority,
      commonName: hostname,
      usages: ["server"],
      ...(isIP(hostname) === 0 ? { names: [hostname] } : { addresses: [hostname] }),
      ...validity,
    });
    const controller = new Controller(own, options);
    const server = https.createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
      controller.serve(request, response).catch(() => request.socket.destroy());
    });
    open.push({ server, listening: await network.listen(server, hostname, Number(port || 443)) });
  }
  return {
    ca: authority.cert,
    async close() {
      for (const { server, listening } of open) {
        server.closeAllConnections();
        await listening.close();
      }
    },
  };
}

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const resetTypes = ["On", "ForceOn", "ForceOff", "GracefulShutdown", "ForceRestart", "PowerCycle"] as const;

const root = "/redfish/v1";

/** One controller: its service root, its sessions and its systems. */
class Controller {
  readonly #machines: Controlled[];
  readonly #options: RedfishOptions;
  readonly #sessions = new Map<string, string>();

  constructor(machines: Controlled[], options: RedfishOptions) {
    this.#machines = machines;
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET" } = request;
    const path = (request.url ?? "/").split("?")[0]?.replace(/(.)\/+$/, "$1") ?? "/";
    const fault = this.#options.faults.next(`redfish ${method} ${path}`);
    if (fault === "refuse" || fault === "unreachable") {
      request.socket.destroy();
      return;
    }
    const text = (await readBody(request, mostBytes)).toString("utf8");
    if (fault === "hang") return;
    const answer =
      fault === "error" || fault === "lock"
        ? wrong(503, "Base.1.8.ServiceTemporarilyUnavailable", "The service is temporarily unavailable.")
        : await this.#answer(method, path, request, text);
    if (fault === "lost-reply") request.socket.destroy();
    else send(response, answer);
  }

  async #answer(method: string, path: string, request: IncomingMessage, text: string): Promise<Answer> {
    if (method === "GET" && path === "/redfish") return { status: 200, body: { v1: `${root}/` } };
    if (method === "GET" && path === root) return { status: 200, body: serviceRoot };
    const sessions = `${root}/SessionService/Sessions`;
    if (method === "POST" && path === sessions) return this.#login(parsed(text));
    if (!this.#isKnown(request))
      return wrong(
        401,
        "Base.1.8.NoValidSession",
        "There is no valid session established with the implementation.",
      );
    if (method === "GET" && path === `${root}/SessionService`) return { status: 200, body: sessionService };
    if (method === "GET" && path === sessions)
      return { status: 200, body: collection(sessions, "Session", [...this.#sessions.keys()]) };
    if (method === "DELETE" && path.startsWith(`${sessions}/`)) {
      this.#sessions.delete(path.slice(sessions.length + 1));
      return { status: 204 };
    }
    const systems = `${root}/Systems`;
    if (method === "GET" && path === systems)
      return {
        status: 200,
        body: collection(
          systems,
          "ComputerSystem",
          this.#machines.map(({ system }) => system),
        ),
      };
    return this.#ofSystem(method, path, text);
  }

  async #ofSystem(method: string, path: string, text: string): Promise<Answer> {
    const [, id = "", rest = ""] = /^\/redfish\/v1\/Systems\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    const machine = this.#machines.find(({ system }) => system === id);
    if (!machine) return missing(path);
    if (method === "GET" && rest === "") return { status: 200, body: systemOf(machine) };
    if (method !== "POST" || rest !== "/Actions/ComputerSystem.Reset") return missing(path);
    const type = String(parsed(text)["ResetType"]);
    if (!(resetTypes as readonly string[]).includes(type))
      return wrong(
        400,
        "Base.1.8.ActionParameterValueNotInList",
        `The value ${type} for the parameter ResetType is not in the list of acceptable values.`,
      );
    await reset(machine.power, type);
    return { status: 204 };
  }

  #login(body: Record<string, unknown>): Answer {
    const known = this.#machines.some(
      ({ user, password }) => body["UserName"] === user && body["Password"] === password,
    );
    if (!known)
      return wrong(
        401,
        "Base.1.8.ResourceAtUriUnauthorized",
        "While accessing the resource, the service received an authorization error.",
      );
    const token = this.#options.random.bytes(16).toString("hex");
    const id = token.slice(0, 8);
    this.#sessions.set(id, token);
    const place = `${root}/SessionService/Sessions/${id}`;
    return {
      status: 201,
      headers: { "x-auth-token": token, location: place },
      body: {
        "@odata.id": place,
        "@odata.type": "#Session.v1_3_0.Session",
        Id: id,
        Name: "User Session",
        UserName: body["UserName"],
      },
    };
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const token = headers["x-auth-token"];
    if (typeof token === "string") return [...this.#sessions.values()].includes(token);
    const [, encoded = ""] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
    const [user, ...password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
    return this.#machines.some((machine) => machine.user === user && machine.password === password.join(":"));
  }
}

async function reset(power: MachinePower, type: string): Promise<void> {
  if (type === "GracefulShutdown") power.shutDown();
  if (["ForceOff", "ForceRestart", "PowerCycle"].includes(type)) await power.cutPower();
  if (["On", "ForceOn", "ForceRestart", "PowerCycle"].includes(type)) power.switchOn();
}

const serviceRoot = {
  "@odata.id": `${root}/`,
  "@odata.type": "#ServiceRoot.v1_9_0.ServiceRoot",
  Id: "RootService",
  Name: "Root Service",
  RedfishVersion: "1.11.0",
  UUID: "2f2ad3d8-3c6a-4c0a-9c4c-0d1f0c5a7e11",
  Systems: { "@odata.id": `${root}/Systems` },
  SessionService: { "@odata.id": `${root}/SessionService` },
  Links: { Sessions: { "@odata.id": `${root}/SessionService/Sessions` } },
};

const sessionService = {
  "@odata.id": `${root}/SessionService`,
  "@odata.type": "#SessionService.v1_1_8.SessionService",
  Id: "SessionService",
  Name: "Session Service",
  ServiceEnabled: true,
  SessionTimeout: 600,
  Sessions: { "@odata.id": `${root}/SessionService/Sessions` },
};

const collection = (place: string, kind: string, ids: string[]) => ({
  "@odata.id": place,
  "@odata.type": `#${kind}Collection.${kind}Collection`,
  Name: `${kind} Collection`,
  "Members@odata.count": ids.length,
  Members: ids.map((id) => ({ "@odata.id": `${place}/${id}` })),
});

function systemOf({ system, name, power }: Controlled) {
  const place = `${root}/Systems/${system}`;
  return {
    "@odata.id": place,
    "@odata.type": "#ComputerSystem.v1_16_0.ComputerSystem",
    Id: system,
    Name: name,
    SystemType: "Physical",
    Manufacturer: "Simulated",
    Model: "Metal",
    PowerState: power.isOn ? "On" : "Off",
    Status: { State: "Enabled", Health: "OK" },
    Boot: {
      BootSourceOverrideEnabled: "Disabled",
      BootSourceOverrideTarget: "None",
      "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Cd", "Usb", "Hdd"],
    },
    Links: { ManagedBy: [], Chassis: [] },
    Actions: {
      "#ComputerSystem.Reset": {
        target: `${place}/Actions/ComputerSystem.Reset`,
        "ResetType@Redfish.AllowableValues": resetTypes,
      },
    },
  };
}

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

const missing = (path: string): Answer =>
  wrong(404, "Base.1.8.ResourceMissingAtURI", `The resource at the URI ${path} was not found.`);

const wrong = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message, "@Message.ExtendedInfo": [{ MessageId: code, Message: message }] } },
});

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    "odata-version": "4.0",
    ...(body !== undefined && { "content-type": "application/json; charset=utf-8" }),
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
