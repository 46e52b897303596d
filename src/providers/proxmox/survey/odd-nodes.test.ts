import { expect, test } from "vitest";
import { siteHost } from "../../../../test/support/proxmox/site.ts";
import { serveScript } from "../../../../test/support/proxmox/fake-server.ts";
import { unreachableNodes } from "./unreachable.ts";

test.each([
  ["an empty list", []],
  ["nodes without a name", [{}, { node: "" }, { node: null, status: "online" }]],
])("%s for /nodes gives advice that names no empty node [attack 20]", async (_what, data) => {
  using server = await serveScript(() => ({ data }));
  const nodes = await server.connect().nodes();
  const [unreachable] = unreachableNodes([siteHost("one", "pve1")], nodes);
  expect(unreachable?.error).toMatchObject({ code: "PVE_NODE_MISSING" });
  expect(unreachable?.error.why).toContain("knows no node by name");
  expect(unreachable?.error.next).toMatch(/^See with a browser whether https:/);
});

test.each([
  [["pve1", "pve2"], 'Write node: pve2 for host "two"'],
  [["pve1"], /^Take host "two" out of the file/],
])("a node that no Proxmox has is not proposed to be one of another host: %j", (names, next) => {
  const nodes = names.map((node) => ({ node, isOnline: true }));
  const hosts = [siteHost("one", "pve1"), siteHost("two", "pve9")];
  const unreachable = unreachableNodes(hosts, nodes);
  expect(unreachable.map(({ host }) => host)).toEqual(["two"]);
  expect(unreachable[0]?.error.next).toMatch(next);
});
