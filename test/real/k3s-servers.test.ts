import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectSupervisor, type Supervisor } from "../../src/clients/k3s/index.ts";
import {
  agentToken,
  caHash,
  foundingFile,
  joiningFile,
  k3sPaths,
  kubeconfig,
  reasonIn,
  serverToken,
  trustFiles,
  type NodeFile,
} from "../../src/distros/k3s/index.ts";
import { dialDirect, realRandom } from "../../src/lib/index.ts";
import { createK3sBundle, type K3sBundle } from "../../src/secrets/index.ts";
import { configOf, labCluster } from "../support/k3s/cluster.ts";
import { startK3sLab, withoutK3s, type K3sLab, type K3sMachine } from "../support/k3s/k3s.ts";
import { findKubectl, howToGetKubectl, runProgram } from "../support/kube/kubectl.ts";
import { isFull } from "../support/whole-sweep.ts";
import { realClock } from "../../src/lib/index.ts";
import { peers } from "../support/peers.ts";

const without = withoutK3s() || (findKubectl() === undefined ? howToGetKubectl : "");
const clock = { now: () => Date.now() };
const isUp = "k3s is up and running";

/** The real K3s, each node in a network of its own, with the files Slipway writes for it. */
describe.skipIf(without !== "")(`real K3s servers (${without || "here"})`, peers, () => {
  const cluster = labCluster();
  let lab: K3sLab;
  let bundle: K3sBundle;
  let first: K3sMachine;
  let second: K3sMachine;
  let third: K3sMachine;
  let agent: K3sMachine;

  const membership = (content: string): NodeFile => ({
    path: k3sPaths.membershipFile,
    mode: "0600",
    content,
  });
  const url = (machine: K3sMachine): string => `https://${machine.address}:6443`;
  const founding = (): NodeFile[] => [
    ...trustFiles(bundle),
    configOf(cluster, "cp-1", bundle),
    membership(foundingFile()),
  ];
  const joining = (name: string, change?: (text: string) => string): NodeFile[] => [
    configOf(cluster, name, bundle, change),
    membership(joiningFile(url(first))),
  ];
  const supervisor = (machine: K3sMachine, user: "server" | "node" = "server"): Supervisor =>
    connectSupervisor({
      clock: realClock,
      address: machine.address,
      dial: dialDirect,
      ca: bundle.authorities.server.cert,
      // K3s takes its time over passwords, all the more on a busy machine.
      timeoutMs: 20_000,
      credentials: { user, password: user === "server" ? bundle.token : bundle.agentToken },
    });
  const namesOf = async (machine: K3sMachine): Promise<string[]> =>
    (await supervisor(machine).members()).map(({ name }) => name.replace(/-[0-9a-f]{8}$/, "")).toSorted();

  /** As the administrator, by a kubeconfig of our own making. */
  const kubectl = async (machine: K3sMachine, ...args: string[]): Promise<string> => {
    const fields = { cluster: "lab", server: url(machine) };
    const content = await kubeconfig(fields, bundle, { clock, random: realRandom });
    machine.write([{ path: "/admin.yaml", mode: "0600", content }]);
    const all = ["--kubeconfig", machine.file("/admin.yaml"), ...args];
    // It keeps what it has asked for at home.
    const env = { HOME: machine.file("/") };
    const { code, stdout, stderr } = await runProgram(findKubectl() ?? "", all, { env });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  /** What a kubelet would do. K3s itself then says there which member of etcd the node is. */
  const addNode = async (name: string): Promise<void> => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name } };
    first.write([{ path: "/node.json", mode: "0600", content: JSON.stringify(node) }]);
    await kubectl(first, "create", "-f", first.file("/node.json"));
    const path = "jsonpath={.metadata.annotations.etcd\\.k3s\\.cattle\\.io/node-name}";
    await expect
      .poll(() => kubectl(first, "get", "node", name, "-o", path), { timeout: 60_000, interval: 1_000 })
      .toMatch(/^cp-1-[0-9a-f]{8}$/);
  };

  beforeAll(async () => {
    lab = startK3sLab();
    bundle = await createK3sBundle({ clock, random: realRandom });
    [first, second, third] = [lab.machine("cp-1", 11), lab.machine("cp-2", 12), lab.machine("cp-3", 13)];
    agent = lab.machine("worker-1", 14);
    first.write(founding());
    first.start();
    await first.untilLine(isUp);
  });

  afterAll(() => lab?.stop(), 30_000);

  test("the first one lives by the trust it was given", async () => {
    const served = await supervisor(first).caCerts();
    expect(served).toEqual({ pem: bundle.authorities.server.cert, isOurs: true });
    expect(caHash(served.pem)).toBe(/^K10([0-9a-f]{64})::server:/.exec(serverToken(bundle))?.[1]);
    expect(await supervisor(first).ping()).toBe(true);
    // A little later than the line that says so.
    await expect
      .poll(() => supervisor(first, "node").readyz(), { timeout: 40_000, interval: 500 })
      .toBe(undefined);
    await expect(supervisor(first).readyz()).rejects.toMatchObject({ code: "K3S_CALL_REFUSED" });
    expect(await namesOf(first)).toEqual(["cp-1"]);
    await expect(supervisor(first, "node").members()).rejects.toMatchObject({ code: "K3S_CALL_REFUSED" });
  });

  test("kubectl works with a file that was made without asking it", async () => {
    expect(await kubectl(first, "get", "--raw", "/readyz")).toBe("ok");
    const user = ["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"];
    expect(await kubectl(first, ...user)).toBe("system:admin");
  });

  test.each([
    {
      fault: "of another cluster",
      token: (own: K3sBundle) => serverToken(own).replace(/^K10.{64}/, `K10${"0".repeat(64)}`),
      code: "K3S_CA_HASH_DIFFERENT",
    },
    {
      fault: "with a wrong password",
      token: (own: K3sBundle) => serverToken(own).replace(/.{8}$/, "00000000"),
      code: "K3S_NOT_AUTHORIZED",
    },
    { fault: "of agents", token: agentToken, code: "K3S_NOT_AUTHORIZED" },
  ])("a second one with a token $fault is not let in, and says why", async ({ token, code }) => {
    second.wipe();
    second.write(joining("cp-2", (text) => text.replace(serverToken(bundle), token(bundle))));
    second.start();
    await second.untilEnded();
    expect(reasonIn(second.lines), second.lines.slice(-5).join("\n")).toMatchObject({ code });
    expect(await namesOf(first)).toEqual(["cp-1"]);
  });

  test("a second one that would differ in what all must agree on is not let in, and says in what", async () => {
    second.wipe();
    second.write(joining("cp-2", (text) => text.replace("cluster.local", "elsewhere.local")));
    second.start();
    await second.untilEnded();
    expect(reasonIn(second.lines), second.lines.slice(-5).join("\n")).toMatchObject({
      code: "K3S_SETTINGS_DIFFERENT",
      details: { keys: "cluster-domain" },
    });
  });

  describe("an agent", () => {
    const startAgent = (change?: (text: string) => string): void => {
      agent.wipe();
      agent.write(joining("worker-1", change));
      agent.start("agent");
    };
    const reason = () => reasonIn(agent.lines)?.code ?? agent.lines.slice(-3).join("\n");
    const soon = { timeout: 50_000, interval: 200 };

    afterEach(() => agent.stop());

    test("of the right token gets its certificates, and waits for what only a released K3s brings", async () => {
      startAgent();
      await expect.poll(reason, soon).toBe("K3S_CONTAINER_RUNTIME");
    });

    test("of the same name on another disk is turned away", async () => {
      startAgent();
      await expect.poll(reason, soon).toBe("K3S_NODE_PASSWORD");
    });

    test("of another cluster is turned away by itself", async () => {
      startAgent((text) => text.replace(/K10.{64}/, `K10${"0".repeat(64)}`));
      await expect.poll(reason, soon).toBe("K3S_CA_HASH_DIFFERENT");
    });

    test("of servers' token is turned away, for agents have their own", async () => {
      startAgent((text) => text.replace(agentToken(bundle), serverToken(bundle)));
      await expect.poll(reason, soon).toBe("K3S_NOT_AUTHORIZED");
    });
  });

  test("a snapshot is saved with its name", async () => {
    const saved = await first.run("etcd-snapshot", "save", "--name", "before");
    expect(saved.code, saved.stderr).toBe(0);
    expect(saved.stderr).toContain("Snapshot before-");
  });

  describe.skipIf(!isFull)("three of them (SLIPWAY_FULL=1)", () => {
    test("join one after another, pinned to our authority, and all of them vote", async () => {
      for (const [machine, name] of [
        [second, "cp-2"],
        [third, "cp-3"],
      ] as const) {
        machine.wipe();
        machine.write(joining(name));
        machine.start();
        await machine.untilLine(isUp, 180_000);
      }
      for (const machine of [first, second, third]) {
        expect(await namesOf(machine)).toEqual(["cp-1", "cp-2", "cp-3"]);
        expect((await supervisor(machine).members()).map(({ isLearner }) => isLearner)).not.toContain(true);
        expect(await supervisor(machine).caCerts()).toEqual({
          pem: bundle.authorities.server.cert,
          isOurs: true,
        });
      }
    });

    test("the first one, with an empty disk and nobody to ask, founds a second cluster", async () => {
      await addNode("cp-1");
      await Promise.all([first, second, third].map((machine) => machine.stop()));
      first.wipe();
      first.write(founding());
      first.start();
      await first.untilLine(isUp, 180_000);
      expect(await namesOf(first)).toEqual(["cp-1"]);
      // Others see by this that somebody of their own trust is there, and that they have to join instead.
      expect(await supervisor(first).caCerts()).toMatchObject({ isOurs: true });
      await first.stop();
    });

    test("the others come back from their disks, and answer by our authority", async () => {
      for (const machine of [second, third]) machine.start();
      await Promise.all([second, third].map((machine) => machine.untilLine(isUp, 180_000)));
      expect(await namesOf(second)).toEqual(["cp-1", "cp-2", "cp-3"]);
      expect(await supervisor(second).caCerts()).toMatchObject({ isOurs: true });
    });

    test("the first one in joining form is turned away while the others remember it, and then let in", async () => {
      const comeBack = () => {
        first.wipe();
        first.write([configOf(cluster, "cp-1", bundle), membership(joiningFile(url(second)))]);
        first.start();
      };
      comeBack();
      await first.untilEnded(60_000);
      expect(reasonIn(first.lines), first.lines.slice(-3).join("\n")).toMatchObject({
        code: "K3S_MEMBER_DUPLICATE",
      });
      await kubectl(second, "delete", "node", "cp-1", "--timeout=60s");
      expect(await namesOf(second)).toEqual(["cp-2", "cp-3"]);
      comeBack();
      await first.untilLine(isUp, 180_000);
      expect(await namesOf(first)).toEqual(["cp-1", "cp-2", "cp-3"]);
      const served = readFileSync(first.file(`${k3sPaths.trustFolder}/server-ca.crt`), "utf8");
      expect(served).toBe(bundle.authorities.server.cert);
    });
  });
});
