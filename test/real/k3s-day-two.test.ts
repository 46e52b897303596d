import { X509Certificate } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectSupervisor, type Supervisor } from "../../src/clients/k3s/index.ts";
import {
  foundingFile,
  joiningFile,
  k3sPaths,
  kubeconfig,
  trustFiles,
  type NodeFile,
} from "../../src/distros/k3s/index.ts";
import { dialDirect, realClock, realRandom } from "../../src/lib/index.ts";
import { advancedK3s, createK3sBundle, servedAuthority, type K3sBundle } from "../../src/secrets/index.ts";
import { configOf, labCluster } from "../support/k3s/cluster.ts";
import { k3sBuilds, startK3sLab, withoutK3s, type K3sLab, type K3sMachine } from "../support/k3s/k3s.ts";
import { findKubectl, howToGetKubectl, runProgram } from "../support/kube/kubectl.ts";
import { peers } from "../support/peers.ts";
import { isFull } from "../support/whole-sweep.ts";

const without =
  withoutK3s() || (findKubectl() === undefined ? howToGetKubectl : isFull ? "" : "SLIPWAY_FULL=1 runs it");
const clock = { now: () => Date.now() };
const issuing = { clock, random: realRandom };
const startMs = 300_000;
const settleMs = 8_000;
const encryptionState = `${k3sPaths.dataFolder}/server/cred/encryption-state.json`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What Slipway does to servers that run, done to the real K3s: by the calls, commands and files of its steps. */
describe.skipIf(without !== "")(`real K3s servers, on day two (${without || "here"})`, peers, () => {
  const cluster = labCluster({ encryption: true, lab: 1 });
  let lab: K3sLab;
  let bundle: K3sBundle;
  let servers: [K3sMachine, K3sMachine, K3sMachine];
  const names = ["cp-1", "cp-2", "cp-3"];

  const url = (machine: K3sMachine): string => `https://${machine.address}:6443`;
  const membership = (content: string): NodeFile => ({
    path: k3sPaths.membershipFile,
    mode: "0600",
    content,
  });
  const nameOf = (machine: K3sMachine): string => names[servers.indexOf(machine)] ?? "";
  const configNow = (machine: K3sMachine): NodeFile => configOf(cluster, nameOf(machine), bundle);
  const supervisor = (machine: K3sMachine, password = bundle.token): Supervisor =>
    connectSupervisor({
      clock: realClock,
      address: machine.address,
      dial: dialDirect,
      ca: bundle.authorities.server.cert,
      timeoutMs: 60_000,
      credentials: { user: "server", password },
    });
  const fileOf = (machine: K3sMachine, file: string): string => readFileSync(machine.file(file), "utf8");
  const leafOf = (machine: K3sMachine): X509Certificate =>
    new X509Certificate(fileOf(machine, k3sPaths.serverLeaf));

  /** As systemd does it: one that ends is started again. It may still, when it has called itself up and another leads etcd. */
  const start = async (machine: K3sMachine): Promise<void> => {
    const endMs = Date.now() + startMs;
    const isUp = async (): Promise<boolean> =>
      machine.lines.some((line) => line.includes("k3s is up and running")) &&
      (await works(machine, await fileNow(machine)));
    for (let upSince = 0; upSince === 0 || Date.now() - upSince < settleMs; await pause(500)) {
      if (Date.now() > endMs) throw new Error(`not up:\n${machine.lines.slice(-12).join("\n")}`);
      if (!machine.isRunning) machine.start();
      const isUpNow = machine.isRunning && (await isUp());
      upSince = isUpNow ? upSince || Date.now() : 0;
    }
  };
  const startAgain = async (machine: K3sMachine): Promise<void> => {
    await machine.stop();
    machine.write([configNow(machine)]);
    await start(machine);
  };
  /** A person's file of some time, and what it gets to see. */
  const fileNow = (machine: K3sMachine): Promise<string> =>
    kubeconfig({ cluster: "lab", server: url(machine) }, bundle, issuing);
  const kubectl = async (machine: K3sMachine, file: string, ...args: string[]) => {
    machine.write([{ path: "/admin.yaml", mode: "0600", content: file }]);
    const all = ["--kubeconfig", machine.file("/admin.yaml"), "--request-timeout=60s", ...args];
    return runProgram(findKubectl() ?? "", all, { env: { HOME: machine.file("/") } });
  };
  const works = async (machine: K3sMachine, file: string): Promise<boolean> =>
    (await kubectl(machine, file, "get", "--raw", "/readyz")).code === 0;
  const succeeds = async (machine: K3sMachine, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(machine, await fileNow(machine), ...args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const apply = async (machine: K3sMachine, object: Record<string, unknown>): Promise<void> => {
    machine.write([{ path: "/object.json", mode: "0600", content: JSON.stringify(object) }]);
    await succeeds(machine, "apply", "-f", machine.file("/object.json"));
  };
  /** No kubelet makes Nodes here, and a K3s that starts none writes nothing into them: what it would write is done for it. */
  const register = async (machine: K3sMachine): Promise<void> => {
    const name = nameOf(machine);
    const role = (of: string) => [`node-role.kubernetes.io/${of}`, "true"];
    await apply(machine, {
      ...{ apiVersion: "v1", kind: "Node" },
      metadata: {
        name,
        labels: Object.fromEntries(["control-plane", "etcd", "master"].map(role)),
        annotations: { "k3s.io/encryption-config-hash": fileOf(machine, encryptionState).trim() },
      },
    });
    const status = { status: { nodeInfo: { kubeletVersion: "v1.31.1+k3s1" } } };
    await succeeds(machine, "patch", "node", name, "--subresource=status", "-p", JSON.stringify(status));
  };

  beforeAll(async () => {
    lab = startK3sLab(1);
    bundle = await createK3sBundle(issuing);
    servers = [lab.machine("cp-1", 11), lab.machine("cp-2", 12), lab.machine("cp-3", 13)];
    const [first, ...others] = servers;
    first.write([...trustFiles(bundle), configNow(first), membership(foundingFile())]);
    await start(first);
    for (const machine of others) {
      machine.write([configNow(machine), membership(joiningFile(url(first)))]);
      await start(machine);
    }
    for (const machine of servers) await register(machine);
  }, 1_200_000);
  afterAll(() => lab?.stop(), 60_000);
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      for (const machine of servers)
        process.stdout.write(
          `${nameOf(machine)}, ${machine.isRunning ? "running" : "ended"}:\n${machine.lines
            .filter((line) => /level=(?:fatal|error)/.test(line))
            .slice(-8)
            .join("\n")}\n`,
        );
    });
  });

  test("certificates are made anew by the command while it does not run, of the same CAs", async () => {
    const [, second] = servers;
    const before = leafOf(second);
    await second.stop();
    const said = await second.run("certificate", "rotate");
    expect(said.code, said.stderr).toBe(0);
    await start(second);
    expect(leafOf(second).serialNumber).not.toBe(before.serialNumber);
    expect(leafOf(second).issuer).toBe(before.issuer);
    expect(await works(second, await fileNow(second))).toBe(true);
  });

  const authorityOf = (machine: K3sMachine): string =>
    fileOf(machine, `${k3sPaths.trustFolder}/server-ca.crt`).trim();
  /** What the steps of the exchange do: the set is handed over, and each server starts again by its own database. */
  const handOver = async (machine: K3sMachine): Promise<void> => {
    machine.write(trustFiles(bundle, `${k3sPaths.stagedTrust}/tls`));
    const said = await machine.run("certificate", "rotate-ca", `--path=${k3sPaths.stagedTrust}`);
    expect(said.code, said.stderr).toBe(0);
    // The power goes below: etcd says on its disk what was agreed on with the changes that follow.
    await pause(settleMs);
  };
  const takeOver = async (machine: K3sMachine, via: K3sMachine): Promise<void> => {
    const before = fileOf(machine, k3sPaths.membershipFile);
    await machine.stop();
    machine.write([configNow(machine), membership(joiningFile(url(via)))]);
    const said = await machine.run("certificate", "rotate");
    expect(said.code, said.stderr).toBe(0);
    await start(machine);
    machine.write([membership(before)]);
  };

  test("all CAs are exchanged, server by server, and a bystander's file works until the old are dropped", async () => {
    const [first, second, third] = servers;
    const [old, bystander] = [authorityOf(first), await fileNow(first)];
    bundle = await advancedK3s(bundle, issuing);
    await handOver(first);
    // It asks one that has not started again, and believes it.
    await takeOver(second, first);
    expect(authorityOf(second)).toBe(old);
    for (const machine of [second, first, third]) {
      await takeOver(machine, machine);
      expect(authorityOf(machine)).toBe(servedAuthority(bundle, "server").trim());
      expect(await works(machine, bystander)).toBe(true);
    }
    bundle = await advancedK3s(bundle, issuing);
    await handOver(first);
    const dropped = await fileNow(first);
    for (const machine of servers) {
      await takeOver(machine, machine);
      expect(authorityOf(machine)).toBe(servedAuthority(bundle, "server").trim());
      expect([await works(machine, bystander), await works(machine, dropped)]).toEqual([false, true]);
    }
    bundle = await advancedK3s(bundle, issuing);
    expect(await supervisor(first).members()).toHaveLength(3);
  });

  test("a new key encrypts all Secrets, and the servers hold the same when each has started again", async () => {
    const [first] = servers;
    const before = await supervisor(first).encryption();
    expect(before).toMatchObject({ isOn: true, stage: "start", isSameEverywhere: true });
    await supervisor(first).rotateEncryptionKeys();
    await expect
      .poll(async () => (await supervisor(first).encryption()).stage, { timeout: 300_000, interval: 2_000 })
      .toBe("reencrypt_finished");
    expect((await supervisor(first).encryption()).activeKey).not.toBe(before.activeKey);
    for (const machine of servers) {
      await startAgain(machine);
      await register(machine);
    }
    await expect
      .poll(async () => (await supervisor(first).encryption()).isSameEverywhere, {
        timeout: 180_000,
        interval: 2_000,
      })
      .toBe(true);
  });

  test("after a new token no server starts with the old one, and each does with the new", async () => {
    const [first, second] = servers;
    const server = realRandom.bytes(32).toString("hex");
    await supervisor(first).replaceToken(server);
    expect(fileOf(first, k3sPaths.tokenFile).trim().endsWith(`:${server}`)).toBe(true);
    await second.stop();
    second.start();
    await second.untilEnded(180_000);
    expect(second.lines.join("\n")).toContain("encrypted with different token");
    bundle = { ...bundle, token: server, formerTokens: [bundle.token] };
    for (const machine of servers) await startAgain(machine);
    expect(await supervisor(second).members()).toHaveLength(3);
  });

  test("a member that is lost with its disk comes again once its Node is gone", async () => {
    const [first, second, third] = servers;
    await third.stop();
    third.wipe();
    // While etcd elects a new leader the API server may refuse it, as it says, until it is asked once more.
    await expect
      .poll(() => succeeds(first, "delete", "node", "cp-3", "--ignore-not-found", "--timeout=120s"), {
        timeout: 120_000,
        interval: 1_000,
      })
      .toBeDefined();
    await expect
      .poll(async () => (await supervisor(first).members()).length, { timeout: 120_000, interval: 1_000 })
      .toBe(2);
    third.write([configNow(third), membership(joiningFile(url(second)))]);
    await start(third);
    expect(await supervisor(third).members()).toHaveLength(3);
    await register(third);
  });

  const [, next] = k3sBuilds();
  const needsNext = next === undefined ? " (needs a second one: lab/build-k3s.sh v1.31.2+k3s1)" : "";
  test.skipIf(next === undefined)(`another version, server by server${needsNext}`, async () => {
    const versionOf = async (machine: K3sMachine): Promise<string> =>
      /"gitVersion": "([^"]*)"/.exec(await succeeds(machine, "get", "--raw", "/version"))?.[1] ?? "";
    const [first] = servers;
    const [before, after] = k3sBuilds().map((program) => path.basename(path.dirname(program)));
    expect(await Promise.all(servers.map(versionOf))).toEqual([before, before, before]);
    const saved = await first.run("etcd-snapshot", "save", "--name", "slipway-before");
    expect(saved.code, saved.stderr).toBe(0);
    const reach = proberOf(servers);
    for (const machine of servers) {
      machine.replaceProgram(next ?? "");
      await startAgain(machine);
      expect([await versionOf(machine), (await supervisor(machine).members()).length]).toEqual([after, 3]);
    }
    const longestMs = await reach.stop();
    process.stdout.write(`${before} to ${after}: no server answered for ${longestMs} ms at most\n`);
    expect(longestMs).toBeLessThan(5_000);
  });

  test("all three wiped, a snapshot brings every object back", async () => {
    const [first, ...others] = servers;
    const secret = { metadata: { name: "kept", namespace: "default" }, stringData: { word: "of before" } };
    await apply(first, { apiVersion: "v1", kind: "Secret", ...secret });
    const saved = await first.run("etcd-snapshot", "save", "--name", "kept");
    expect(saved.code, saved.stderr).toBe(0);
    await apply(first, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "later", namespace: "default" },
    });
    const before = await objects(first);
    const folder = first.file(k3sPaths.snapshotsFolder);
    const [name = ""] = readdirSync(folder).filter((file) => file.startsWith("kept-"));
    const kept = path.join(path.dirname(first.file("/")), "kept.db");
    copyFileSync(path.join(folder, name), kept);
    for (const machine of servers) await machine.stop();
    for (const machine of servers) machine.wipe();
    first.write([configNow(first), membership(foundingFile())]);
    first.write([{ path: k3sPaths.restoredSnapshot, mode: "0600", content: "" }]);
    copyFileSync(kept, first.file(k3sPaths.restoredSnapshot));
    const reset = await first.run(
      ...["server", "--cluster-reset", `--cluster-reset-restore-path=${k3sPaths.restoredSnapshot}`],
      ...["--etcd-s3=false", "--disable-agent"],
    );
    expect(reset.code, reset.stderr.slice(-2000)).toBe(0);
    await start(first);
    for (const machine of others) {
      machine.write([configNow(machine), membership(joiningFile(url(first)))]);
      await start(machine);
    }
    expect(await supervisor(first).members()).toHaveLength(3);
    expect(await objects(first)).toEqual(before.filter((object) => !object.endsWith("/later")));
    const word = await succeeds(first, "get", "secret", "kept", "-o", "jsonpath={.data.word}");
    expect(Buffer.from(word, "base64").toString()).toBe("of before");
  });

  /** Knocks at all servers five times a second: how long at most none of them had its door open. */
  function proberOf(machines: K3sMachine[]): { stop(): Promise<number> } {
    const stop = new AbortController();
    const isOpen = async (machine: K3sMachine): Promise<boolean> => {
      try {
        return await supervisor(machine).ping(AbortSignal.timeout(2_000));
      } catch {
        return false;
      }
    };
    const life = (async () => {
      let [longest, lastMs] = [0, Date.now()];
      for (; !stop.signal.aborted; await pause(200))
        if ((await Promise.all(machines.map(isOpen))).includes(true)) {
          longest = Math.max(longest, Date.now() - lastMs);
          lastMs = Date.now();
        }
      return Math.max(longest, Date.now() - lastMs);
    })();
    return {
      stop() {
        stop.abort();
        return life;
      },
    };
  }

  /** What people have there: their objects, by name. */
  async function objects(machine: K3sMachine): Promise<string[]> {
    const kinds = "namespaces,configmaps,secrets,serviceaccounts,clusterroles,nodes";
    const text = await succeeds(machine, "get", kinds, "--all-namespaces", "-o", "name");
    return text.trim().split("\n").toSorted();
  }
});
