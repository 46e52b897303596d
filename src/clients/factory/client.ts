import { CallTrace, type Clock, type Dial } from "../../lib/index.ts";
import { makeCall } from "./call.ts";
import { factoryOddAnswer } from "./errors.ts";
import type { FactoryTrust } from "./exchange.ts";

export interface FactoryOptions {
  /** `https://factory.talos.dev`, or a factory or mirror of the user's own; it may stand below a path. */
  url: string;
  dial: Dial;
  /** Left out: the system's authorities. */
  trust?: FactoryTrust;
  /** Paces repeats and limits them. */
  clock: Clock;
  /** Where calls are timed. Left out: nowhere. */
  calls?: CallTrace | undefined;
  timeoutMs?: number;
}

/** What the factory made of a schematic. */
export interface Registered {
  /** The factory's word counts: it may add fields of its own and so come to another id. */
  id: string;
  isAsComputed: boolean;
}

export interface FactoryClient {
  readonly url: string;
  /** Makes the schematic known, once or again. `id` is what the caller computed for this text. */
  register(schematic: { text: string; id: string }, signal?: AbortSignal): Promise<Registered>;
  hasSchematic(id: string, signal?: AbortSignal): Promise<boolean>;
  /** Every Talos release it can build, without a leading v. */
  versions(signal?: AbortSignal): Promise<string[]>;
  /** Full names of the extensions it offers for a version. */
  extensions(version: string, signal?: AbortSignal): Promise<string[]>;
  /** Undefined when there is no such image. The first question for one makes the factory build it. */
  imageBytes(url: string, signal?: AbortSignal): Promise<number | undefined>;
}

// Enough for everything but the first build of an image; whoever is offline should not wait long to learn it.
const defaultTimeoutMs = 10_000;

/** Opens nothing yet: the first call does. */
export function connectFactory(options: FactoryOptions): FactoryClient {
  const url = options.url.replace(/\/+$/, "");
  const { dial, trust = { system: true }, clock, timeoutMs = defaultTimeoutMs } = options;
  const { calls = new CallTrace() } = options;
  const call = makeCall({ url, dial, trust, clock, calls, timeoutMs });

  const list = async (path: string, doing: string, signal?: AbortSignal): Promise<unknown[]> => {
    const answer = await call({ method: "GET", path, doing }, signal);
    const items = answer && parse(answer.body);
    if (!Array.isArray(items)) {
      throw factoryOddAnswer({ doing, url, found: answer ? "something else than a list" : "404" });
    }
    return items;
  };

  return {
    url,

    async register({ text, id }, signal) {
      const doing = `register schematic ${id.slice(0, 12)}`;
      const answer = await call({ method: "POST", path: "/schematics", body: text, doing }, signal);
      const said = textField(answer && parse(answer.body), "id");
      if (said === undefined || !/^[0-9a-f]{64}$/.test(said)) {
        throw factoryOddAnswer({ doing, url, found: answer ? "without a schematic's id" : "404" });
      }
      return { id: said, isAsComputed: said === id };
    },

    hasSchematic: async (id, signal) => {
      const doing = `ask for schematic ${id.slice(0, 12)}`;
      return (await call({ method: "GET", path: `/schematics/${id}`, doing }, signal)) !== undefined;
    },

    versions: async (signal) =>
      (await list("/versions", "list Talos versions", signal))
        .filter((item) => typeof item === "string")
        .map((version) => version.replace(/^v/, "")),

    extensions: async (version, signal) => {
      const path = `/version/v${version}/extensions/official`;
      const items = await list(path, `list extensions of Talos ${version}`, signal);
      return items.flatMap((item) => textField(item, "name") ?? []);
    },

    imageBytes: async (image, signal) => {
      const path = image.startsWith(url) ? image.slice(url.length) : image;
      const answer = await call({ method: "HEAD", path, doing: `ask for the size of ${path}` }, signal);
      return answer && Number(answer.headers["content-length"] ?? 0);
    },
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function textField(value: unknown, name: string): string | undefined {
  const field: unknown =
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof field === "string" ? field : undefined;
}
