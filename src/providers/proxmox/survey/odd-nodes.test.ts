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
