import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { labCache, succeeds } from "../peers.ts";

const script = path.resolve(import.meta.dirname, "../../../lab/real-talos.sh");
const run = promisify(execFile);

/** Why tests on real Talos nodes are skipped; empty where they can be run. */
export const withoutRealTalos =
  process.env["SLIPWAY_GUESTS"] === undefined
    ? "takes minutes: SLIPWAY_GUESTS=1 or npm run test:real-talos runs it"
    : succeeds(script, "--check")
      ? ""
      : "needs root, namespaces and lab/build-real-talos.sh; lab/real-talos.sh --check says what is missing";

/** Which Talos the nodes of a lab run, as lab/real-talos.sh has it. */
export const realTalos = (process.env["SLIPWAY_REAL_TALOS"] ?? "v1.13.9").slice(1);

/** The versions of Kubernetes that the registry of a lab has, oldest first: one of each Talos that was built. */
export function builtKubernetes(): string[] {
  const tagsIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
  const built = path.join(labCache(), "real-talos");
  const tags = tagsIn(built).flatMap((talos) =>
    tagsIn(path.join(built, talos, "registry/manifests/kube-apiserver")),
  );
  const versions = new Set(tags.filter((tag) => tag.startsWith("v")).map((tag) => tag.slice(1)));
  return [...versions].toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/** Real Talos nodes in namespaces of this machine, on a bridge of their own, with what their clusters pull. */
export interface RealNodes {
  gateway: string;
  /** A registry that has the images of a cluster. */
  mirror: string;
  /** What stands below `talos:` in a cluster file, indented by six blanks: its version and where images come from. */
  talosLines: string;
  /** Powers a node on; the same name finds the same disk again. Returns at once; booting takes its time. */
  start(name: string, address: string, mac?: string): Promise<void>;
  /** Takes its power away. */
  stop(name: string): Promise<void>;
  /** The same, and its disk is gone. */
  wipe(name: string): Promise<void>;
  /** What a node prints from now on; returns how to stop listening. */
  listen(name: string, onText: (text: string) => void): () => void;
  close(): void;
}

/** `net`: the first three bytes of a network of its own, e.g. `10.5.1`. What an earlier run left there is removed. */
export function realNodes(net: string): RealNodes {
  const lab = async (...args: string[]): Promise<void> => {
    await run(script, ["--net", net, ...args]);
  };
  const labSync = (verb: string): void => {
    const { status, stderr } = spawnSync(script, ["--net", net, verb], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  labSync("down");
  // Without the bridge the addresses would lead out of this machine, to whoever answers there.
  labSync("open");
  const mirror = `http://${net}.1:5000`;
  return {
    gateway: `${net}.1`,
    mirror,
    talosLines: `      version: ${realTalos}
      registries:
        registry.k8s.io: { mirrors: ["${mirror}"] }
        ghcr.io: { mirrors: ["${mirror}"] }
`,
    start: (name, address, mac) => lab("start", name, address, ...(mac === undefined ? [] : [mac])),
    stop: (name) => lab("stop", name),
    wipe: (name) => lab("wipe", name),
    listen: (name, onText) => follow(`/var/tmp/slipway-real-talos/${net}/${name}/console`, onText),
    close: () => labSync("down"),
  };
}

/** Watching would need the file to be there already. */
function follow(file: string, onText: (text: string) => void): () => void {
  let position = existsSync(file) ? statSync(file).size : 0;
  const timer = setInterval(() => {
    if (!existsSync(file)) return;
    const text = readFileSync(file).subarray(position);
    position += text.length;
    if (text.length > 0) onText(text.toString());
  }, 200);
  return () => clearInterval(timer);
}
