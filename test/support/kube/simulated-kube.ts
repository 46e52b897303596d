import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { standIns } from "../addons/stand-ins.ts";
import { realRandom, scaledClock } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";
import { faultBox, loopbackNetwork, type FaultBox } from "../../../src/sim/index.ts";
import {
  kubeStore,
  registerNode,
  setNodeReady,
  startKubeApi,
  startKubelet,
  type KubeStore,
  siteOn,
} from "../../../src/sim/kube/index.ts";
import { findHelm, findKubectl, runProgram, type IsEnough, type Outcome } from "./kubectl.ts";

export interface SimulatedKube {
  store: KubeStore;
  faults: FaultBox;
  home: string;
  /** Runs kubectl, which must succeed, and gives what it printed. */
  kubectl(args: string, input?: string): Promise<string>;
  /** Runs kubectl however it ends. */
  tryKubectl(args: string, input?: string, isEnough?: IsEnough): Promise<Outcome>;
  helm(args: string, input?: string): Promise<string>;
  tryHelm(args: string, input?: string): Promise<Outcome>;
  stop(): Promise<void>;
}

export interface SimulatedKubeOptions {
  host: string;
  /** Control planes first; named `cp-…` they are tainted. */
  nodes: string[];
  /** Nodes wait for a CNI, as after a bootstrap without one. */
  needsNetwork?: boolean;
  speed?: number;
}

const port = 16_443;
const version = "1.36.3";

/** A simulated API server with nodes, and the real kubectl and helm pointed at it with a home of their own. */
export async function simulatedKube(options: SimulatedKubeOptions): Promise<SimulatedKube> {
  const clock = scaledClock(options.speed ?? 20);
  const store = kubeStore(undefined, clock);
  const faults = faultBox();
  const home = mkdtempSync(path.join(os.tmpdir(), "slipway-kube-"));
  const env = { HOME: home, KUBECONFIG: path.join(home, "config"), PATH: "/usr/bin:/bin" };
  const { serving, clientCa, kubeconfig } = await identities(options.host);
  writeFileSync(env.KUBECONFIG, kubeconfig, { mode: 0o600 });
  const network = loopbackNetwork();
  siteOn(network).programs = [...standIns];
  const api = await startKubeApi({
    ...{ network, host: options.host, port, store, clock, faults, version, clientCa },
    ...serving,
  });
  for (const [index, name] of options.nodes.entries())
    addNode(store, name, index, options.needsNetwork ?? false);
  const run = (program: string | undefined, args: string, input?: string, isEnough?: IsEnough) =>
    runProgram(program ?? "", args.split(" "), {
      env,
      ...(input !== undefined && { input }),
      ...(isEnough !== undefined && { isEnough }),
    });
  const succeed = async (runReport: Promise<Outcome>): Promise<string> => {
    const { code, stdout, stderr } = await runReport;
    expect(`exit ${code}${code === 0 ? "" : ` ${stderr}`}`).toBe("exit 0");
    return stdout.trim();
  };
  const tryKubectl: SimulatedKube["tryKubectl"] = (...args) => run(findKubectl(), ...args);
  const tryHelm: SimulatedKube["tryHelm"] = (...args) => run(findHelm(), ...args);
  return {
    ...{ store, faults, home, tryKubectl, tryHelm },
    kubectl: (...args) => succeed(tryKubectl(...args)),
    helm: (...args) => succeed(tryHelm(...args)),
    async stop() {
      await api.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function addNode(store: KubeStore, name: string, index: number, needsNetwork: boolean): void {
  const address = `10.0.0.${index + 1}`;
  const isControlPlane = name.startsWith("cp-");
  if (needsNetwork) startKubelet(store, name, { address, readyAtMs: 0 });
  registerNode(store, {
    ...{ name, address, isControlPlane, kubeletVersion: version, cores: 2, memoryMiB: 2048 },
    osImage: "Talos (v1.13.9)",
    kernelVersion: "6.18.5-talos",
    containerRuntime: "containerd://2.1.5",
    taints: isControlPlane ? [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] : [],
  });
  if (!needsNetwork) setNodeReady(store, name, true);
}

async function identities(host: string) {
  const day = 86_400_000;
  const validity = { notBefore: Date.now() - day, lifetimeMs: 2 * day, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const serving = await issueCertificate({ authority, usages: ["server"], addresses: [host], ...validity });
  const admin = await issueCertificate({
    ...{ authority, commonName: "admin", organizations: ["system:masters"], usages: ["client"] as const },
    ...validity,
  });
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const server = { server: `https://${host}:${port}`, "certificate-authority-data": encode(authority.cert) };
  const user = { "client-certificate-data": encode(admin.cert), "client-key-data": encode(admin.key) };
  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin@lab",
    contexts: [{ name: "admin@lab", context: { cluster: "lab", user: "admin" } }],
    clusters: [{ name: "lab", cluster: server }],
    users: [{ name: "admin", user }],
  });
  return { serving, clientCa: authority.cert, kubeconfig };
}
