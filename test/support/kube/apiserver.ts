import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { connectKube, type KubeAccess } from "../../../src/clients/kube/index.ts";
import { dialDirect, realRandom } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../../src/pki/index.ts";
import { realClock } from "../../../src/lib/index.ts";
import { freePorts } from "../free-ports.ts";
import { labFile } from "../peers.ts";

export const howToGetKubeApiserver =
  "needs kube-apiserver, kube-controller-manager and etcd: lab/build-kube-apiserver.sh builds them";

const programs = ["etcd", "kube-apiserver", "kube-controller-manager"] as const;
type Program = (typeof programs)[number];

/** The folder of the real programs, if all of them are there. */
export function findKubeApiserver(): string | undefined {
  return programs.every((name) => labFile("kubernetes", name)) ? labFile("kubernetes") : undefined;
}

/** A real API server with its etcd and controllers, on loopback, without any node. */
export interface RealKube {
  /** For kubectl and helm; its user may do everything. */
  kubeconfig: string;
  access: KubeAccess;
  /** Access as somebody else, by a client certificate of the cluster's authority. */
  accessAs(user: string, groups: string[]): Promise<KubeAccess>;
  /** Lets etcd forget all changes up to now. The API server keeps no memory of its own of ConfigMaps. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** What brings objects to life here: pods are made and budgets counted, but nothing runs, for there are no nodes. */
const controllers = [
  "certificatesigningrequest-signing",
  "daemonset",
  "deployment",
  "disruption",
  "garbage-collector",
  "job",
  "namespace",
  "replicaset",
  "root-ca-certificate-publisher",
  "serviceaccount",
  "statefulset",
].map((name) => `${name}-controller`);

/** What lets pods that a test plays find volumes and be found: see pretend-kubelet.ts. */
const moreControllers = [
  "endpointslice",
  "persistentvolume-binder",
  "persistentvolume-protection",
  "persistentvolumeclaim-protection",
].map((name) => `${name}-controller`);

export interface RealKubeOptions {
  /** A socket with a proxy that leads the server into the cluster's network: to webhooks and further APIs. */
  wayIn?: string;
  /** As Talos has it: pods may do no more than `baseline` outside of kube-system, and volumes are bound. */
  isLikeTalos?: boolean;
}

export async function startKubeApiserver(options: RealKubeOptions = {}): Promise<RealKube> {
  const programsFolder = findKubeApiserver();
  if (programsFolder === undefined) throw new Error(howToGetKubeApiserver);
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-kube-"));
  const children: ChildProcess[] = [];
  const stop = () => stopAll(children, folder);
  const stopNow = () => {
    for (const child of children) child.kill("SIGKILL");
  };
  process.once("exit", stopNow);
  const run = (name: Program, flags: Record<string, string>) =>
    children.push(start(path.join(programsFolder, name), name, folder, flags));
  try {
    const [etcdPort = 0, peerPort = 0, apiPort = 0, managerPort = 0] = await freePorts(4);
    const etcd = `http://127.0.0.1:${etcdPort}`;
    run("etcd", etcdFlags(folder, etcd, `http://127.0.0.1:${peerPort}`));
    const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity() });
    const server = `https://127.0.0.1:${apiPort}`;
    const accessAs = async (user: string, groups: string[]): Promise<KubeAccess> => ({
      server,
      ca: authority.cert,
      ...(await issueCertificate({
        authority,
        commonName: user,
        organizations: groups,
        usages: ["client"],
        ...validity(),
      })),
    });
    const access = await accessAs("admin", ["system:masters"]);
    const kubeconfig = kubeconfigOf(access);
    await writeFiles(folder, authority, kubeconfig);
    run("kube-apiserver", {
      ...apiserverFlags(folder, etcd, apiPort),
      ...(await moreFlags(folder, options)),
    });
    await untilReady(access, children, folder);
    const works = options.isLikeTalos ? [...controllers, ...moreControllers] : controllers;
    run("kube-controller-manager", managerFlags(folder, managerPort, works));
    await untilManaged(access);
    return {
      kubeconfig,
      access,
      accessAs,
      compact: () => compact(etcd),
      async stop() {
        process.removeListener("exit", stopNow);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const etcdFlags = (folder: string, etcd: string, peer: string): Record<string, string> => ({
  "data-dir": path.join(folder, "etcd"),
  "listen-client-urls": etcd,
  "advertise-client-urls": etcd,
  "listen-peer-urls": peer,
  "initial-advertise-peer-urls": peer,
  "initial-cluster": `default=${peer}`,
  "unsafe-no-fsync": "true",
});

const apiserverFlags = (folder: string, etcd: string, port: number): Record<string, string> => ({
  "etcd-servers": etcd,
  "bind-address": "127.0.0.1",
  // An address for documents: nothing is to reach this server from outside, and a lab may have no route at all.
  "advertise-address": "192.0.2.1",
  "endpoint-reconciler-type": "none",
  "secure-port": String(port),
  "client-ca-file": path.join(folder, "ca.crt"),
  "tls-cert-file": path.join(folder, "server.crt"),
  "tls-private-key-file": path.join(folder, "server.key"),
  "service-account-issuer": "https://kubernetes.default.svc",
  "service-account-key-file": path.join(folder, "ca.crt"),
  "service-account-signing-key-file": path.join(folder, "ca.key"),
  "service-cluster-ip-range": "10.96.0.0/16",
  "authorization-mode": "Node,RBAC",
  // As every distribution has it: storage and network drivers need it.
  "allow-privileged": "true",
  "enable-admission-plugins": "NodeRestriction",
  // Watches of these go to etcd itself, so that a compaction there is felt.
  "watch-cache-sizes": "configmaps#0",
});

async function moreFlags(folder: string, options: RealKubeOptions): Promise<Record<string, string>> {
  const texts: Record<string, unknown> = {
    ...(options.wayIn !== undefined && { "egress-selector-config-file": wayThrough(options.wayIn) }),
    ...(options.isLikeTalos && { "admission-control-config-file": talosAdmission }),
  };
  const files = Object.keys(texts).map((flag) => [flag, path.join(folder, `${flag}.json`)] as const);
  for (const [flag, file] of files) await writeFile(file, JSON.stringify(texts[flag]));
  return Object.fromEntries(files);
}

const wayThrough = (socket: string) => ({
  apiVersion: "apiserver.k8s.io/v1beta1",
  kind: "EgressSelectorConfiguration",
  egressSelections: [
    {
      name: "cluster",
      connection: { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: socket } } },
    },
  ],
});

const talosAdmission = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins: [
    {
      name: "PodSecurity",
      configuration: {
        apiVersion: "pod-security.admission.config.k8s.io/v1",
        kind: "PodSecurityConfiguration",
        defaults: { enforce: "baseline", audit: "restricted", warn: "restricted" },
        exemptions: { namespaces: ["kube-system"] },
      },
    },
  ],
};

const managerFlags = (folder: string, port: number, works: string[]): Record<string, string> => ({
  kubeconfig: path.join(folder, "kubeconfig"),
  "leader-elect": "false",
  "bind-address": "127.0.0.1",
  "secure-port": String(port),
  controllers: works.join(","),
  "cluster-signing-cert-file": path.join(folder, "ca.crt"),
  "cluster-signing-key-file": path.join(folder, "ca.key"),
  "root-ca-file": path.join(folder, "ca.crt"),
  "service-account-private-key-file": path.join(folder, "ca.key"),
});

function start(program: string, name: string, folder: string, flags: Record<string, string>): ChildProcess {
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const log = path.join(folder, `${name}.log`);
  return spawn("/bin/sh", ["-c", `exec "$0" "$@" >"$LOG" 2>&1`, program, ...args], {
    env: { ...process.env, LOG: log },
    stdio: "ignore",
  });
}

/** Data and certificates are of this run only: nothing is saved by a slower end. */
async function stopAll(children: ChildProcess[], folder: string): Promise<void> {
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.signalCode !== null) resolve();
          else child.once("exit", () => resolve());
          child.kill("SIGKILL");
        }),
    ),
  );
  rmSync(folder, { recursive: true, force: true });
}

const validity = () => ({ notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000, random: realRandom });

async function writeFiles(folder: string, authority: Identity, kubeconfig: string): Promise<void> {
  const serving = await issueCertificate({
    authority,
    usages: ["server"],
    addresses: ["127.0.0.1"],
    names: ["localhost"],
    ...validity(),
  });
  const files = {
    "ca.crt": authority.cert,
    "ca.key": authority.key,
    "server.crt": serving.cert,
    "server.key": serving.key,
    kubeconfig,
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
}

const encoded = (text = ""): string => Buffer.from(text).toString("base64");

const kubeconfigOf = ({ server, ca, cert, key }: KubeAccess): string => `apiVersion: v1
kind: Config
current-context: real
contexts: [{ name: real, context: { cluster: real, user: admin } }]
clusters: [{ name: real, cluster: { server: "${server}", certificate-authority-data: ${encoded(ca)} } }]
users: [{ name: admin, user: { client-certificate-data: ${encoded(cert)}, client-key-data: ${encoded(key)} } }]
`;

async function untilReady(access: KubeAccess, children: ChildProcess[], folder: string): Promise<void> {
  const kube = connectKube({ clock: realClock, kubeconfig: access, dial: dialDirect, timeoutMs: 2_000 });
  try {
    for (const endMs = Date.now() + 60_000; ;) {
      if (await kube.isReady().catch(() => false)) return;
      const isDead = children.some((child) => child.exitCode !== null);
      if (isDead || Date.now() > endMs) throw new Error(`kube-apiserver did not start: ${lastLines(folder)}`);
      await pause(100);
    }
  } finally {
    kube.close();
  }
}

/** The controllers have taken up work when the first of their works is there. */
async function untilManaged(access: KubeAccess): Promise<void> {
  const kube = connectKube({ clock: realClock, kubeconfig: access, dial: dialDirect });
  const account = { apiVersion: "v1", kind: "ServiceAccount", namespace: "default", name: "default" };
  try {
    for (const endMs = Date.now() + 30_000; !(await kube.get(account)); await pause(100))
      if (Date.now() > endMs) throw new Error("kube-controller-manager did not start");
  } finally {
    kube.close();
  }
}

const lastLines = (folder: string): string =>
  programs
    .map((name) => path.join(folder, `${name}.log`))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8").split("\n").slice(-4).join("\n"))
    .join("\n");

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function compact(etcd: string): Promise<void> {
  const ask = async (call: string, body: object) => {
    const response = await fetch(`${etcd}/v3/${call}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { header: { revision: string } };
  };
  const { header } = await ask("maintenance/status", {});
  await ask("kv/compaction", { revision: header.revision, physical: true });
}
