import { expect, test } from "vitest";
import { paths } from "./paths.ts";
import { configure, lab, testHost, until } from "./test-host.ts";

const password = "0123456789abcdef0123456789abcdef";

test("a first server founds a cluster: token, then kubeconfig, then ready", async () => {
  const site = lab();
  const host = configure(testHost(site, "cp-1", "10.0.0.1"), `token: ${password}\n`);
  const run = host.start();
  await run.ready;
  const at = (text: string) => host.journal.findIndex((line) => line.includes(text));
  const order = [
    "Starting k3s v1.36.3+k3s1 (",
    "Server node token is available",
    "Wrote kubeconfig",
    "k3s is up and running",
  ];
  expect(order.map(at).every((index, position, all) => index > (all[position - 1] ?? -1))).toBe(true);
  expect(host.files.read(paths.token)?.toString()).toMatch(
    new RegExp(`^K10[0-9a-f]{64}::server:${password}\n$`),
  );
  const [cluster] = site.program.state();
  expect(cluster?.members).toMatchObject([{ node: "cp-1", isLearner: false }]);
  await until(() => JSON.stringify(site.program.state()[0]?.kube).includes("MemberNotLearner"));
  expect(await run.stop()).toBe(0);
});
