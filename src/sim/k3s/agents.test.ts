import { expect, test } from "vitest";
import { reasonIn } from "../../distros/k3s/journal/journal.ts";
import { paths } from "./paths.ts";
import {
  conditionOf,
  configure,
  founded,
  kubeAt,
  lab,
  lastLine,
  password,
  testHost,
  things,
  tokenOn,
} from "../../../test/support/sim-k3s-hosts.ts";

test("an agent joins with its own token, and its node carries what its file says", async () => {
  const site = lab();
  const { host } = await founded(site);
  const agent = testHost(site, "worker-1", "10.0.0.11");
  const settings = [
    `token: ${tokenOn(host, paths.agentToken)}`,
    "node-ip: 10.0.0.11",
    "node-label: [rack=a1, tier=web]",
    "node-taint: ['dedicated=web:NoExecute']",
    "",
  ].join("\n");
  configure(agent, settings, { join: "10.0.0.1" });
  const run = agent.start("agent");
  await run.ready();
  expect(lastLine(agent)).toBe('level=info msg="k3s agent is up and running"');
  await site.until(() => conditionOf(site, "worker-1", "Ready")?.status === "True");
  const node = things(site, "Node").find((thing) => thing.metadata.name === "worker-1");
  expect(node?.metadata.labels).toMatchObject({ rack: "a1", tier: "web" });
  expect(node?.spec?.taints?.map((taint) => taint.key)).toEqual(["dedicated"]);
  expect(await run.stop()).toBe(0);
  await site.until(() => conditionOf(site, "worker-1", "Ready")?.status === "Unknown");
});

test("a rebuilt agent is refused its old name until the Node is deleted", async () => {
  const site = lab();
  const { host } = await founded(site);
  const token = `token: ${tokenOn(host, paths.agentToken)}\n`;
  const agent = configure(testHost(site, "worker-1", "10.0.0.11"), token, { join: "10.0.0.1" });
  const run = agent.start("agent");
  await site.until(() => conditionOf(site, "worker-1", "Ready")?.status === "True");
  await run.stop();
  agent.wipe();
  configure(agent, token, { join: "10.0.0.1" });
  const again = agent.start("agent");
  await site.until(() =>
    lastLine(agent).includes("Node password rejected, duplicate hostname or contents of"),
  );
  expect(reasonIn(agent.journal)?.code).toBe("K3S_NODE_PASSWORD");
  expect(again.code()).toBeUndefined();
  await kubeAt(site, host).deleteNode("worker-1");
  await again.ready();
  await site.until(() => conditionOf(site, "worker-1", "Ready")?.status === "True");
});

test("an agent waits for a server, and does not take a key of servers", async () => {
  const site = lab();
  const agent = testHost(site, "worker-1", "10.0.0.11");
  configure(agent, `token: ${password}\ncluster-init: true\n`, { join: "10.0.0.1" });
  expect(await agent.start("agent").ended()).toBe(1);
  expect(agent.journal.join("\n")).toContain("Incorrect Usage: flag provided but not defined: -cluster-init");
  expect(lastLine(agent)).toBe('level=fatal msg="flag provided but not defined: -cluster-init"');
  expect(reasonIn(agent.journal)?.code).toBe("K3S_FLAG_WRONG");

  configure(agent, `token: agent-${password}\n`, { join: "10.0.0.1" });
  const run = agent.start("agent");
  await site.until(() =>
    lastLine(agent).includes(
      String.raw`failed to get CA certs: Get \"https://127.0.0.1:6444/cacerts\": read tcp`,
    ),
  );
  await founded(site);
  await run.ready();
});

test("an agent with a wrong password says so again and again, and one with a wrong hash too", async () => {
  const site = lab();
  const { host } = await founded(site);
  const wrong = `K10${tokenOn(host).slice(3, 67)}::node:wrong`;
  const agent = configure(testHost(site, "worker-1", "10.0.0.11"), `token: ${wrong}\n`, { join: "10.0.0.1" });
  const run = agent.start("agent");
  await site.until(() =>
    lastLine(agent).includes("Waiting to retrieve agent configuration; server is not ready"),
  );
  expect(lastLine(agent)).toContain("failed to retrieve configuration from server: not authorized");
  expect(reasonIn(agent.journal)?.code).toBe("K3S_NOT_AUTHORIZED");
  await run.stop();
  configure(agent, `token: K10${"0".repeat(64)}::node:agent-${password}\n`, { join: "10.0.0.1" });
  agent.start("agent");
  await site.until(() =>
    lastLine(agent).includes("token CA hash does not match the Cluster CA certificate hash"),
  );
});
