import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import type { Cluster } from "../../../spec/index.ts";

const host = siteHost("one", "pve1");
const node = siteNode("cp-1");
const placed = [{ node, host, id: 2000 }];

/** Somebody who may do everything with machines, and nothing with the datacenter but look at it. */
const acl = (isSeeing = true): string => `  - { path: /vms, role: Administrator, user: "poor@pve" }
  - { path: /storage, role: Administrator, user: "poor@pve" }
  - { path: /nodes, role: Administrator, user: "poor@pve" }
  - { path: /sdn, role: Administrator, user: "poor@pve" }
${isSeeing ? `  - { path: /, role: PVEAuditor, user: "poor@pve", propagate: false }` : ""}`;

const siteWith = (options: string, isSeeing = true): Promise<ProxmoxSite> =>
  proxmoxSite({ token: "poor@pve!main", acl: acl(isSeeing), datacenter: `options: ${options}` });

async function tagFinding(site: ProxmoxSite, more: Partial<Cluster> = {}) {
  const provider = site.freshProvider();
  const survey = await provider.survey(site.ctx, [host]);
  const check = provider
    .preflight(siteCluster([node], more), placed, survey)
    .find((each) => each.id === "proxmox-tags");
  return check?.run(site.ctx);
}

async function up(site: ProxmoxSite): Promise<void> {
  const provider = site.freshProvider();
  for (const step of provider.describe(siteCluster([node]), placed, siteNeeds())) {
    await site.resource(step.kind, provider).create(site.ctx, step.want);
  }
}

test.each([
  ["{}", "ok"],
  ["{ user-tag-access: { user-allow: free } }", "ok"],
  ["{ user-tag-access: { user-allow: list, user-allow-list: [slipway, slipway-lab] } }", "ok"],
  ["{ user-tag-access: { user-allow: existing, user-allow-list: [slipway, slipway-lab] } }", "ok"],
  ["{ user-tag-access: { user-allow: list, user-allow-list: [slipway] } }", "failed"],
  ["{ user-tag-access: { user-allow: existing } }", "failed"],
  ["{ user-tag-access: { user-allow: none } }", "failed"],
  ["{ registered-tags: [slipway] }", "failed"],
])(
  "a datacenter with options %s: tags are %s before a machine is made [proxmox 9]",
  async (options, status) => {
    await using site = await siteWith(options);
    const finding = await tagFinding(site);
    expect(finding?.status).toBe(status);
    const made = await up(site).then(
      () => "ok",
      () => "failed",
    );
    // What preflight says is what happens.
    expect(made).toBe(status);
  },
);

test("the finding names the tags and the command that allows them [proxmox 9]", async () => {
  await using site = await siteWith("{ user-tag-access: { user-allow: list, user-allow-list: [web] } }");
  expect(await tagFinding(site)).toMatchObject({
    error: {
      code: "PVE_TAGS_REFUSED",
      why: "the datacenter lets people set tags of a list, not slipway, slipway-lab",
      next: "On a Proxmox node run: pvesh set /cluster/options --user-tag-access 'user-allow=list,user-allow-list=web;slipway;slipway-lab'",
    },
  });
});

test("tags of a list are set once the machine exists: at create Proxmox takes none [proxmox 9]", async () => {
  await using site = await siteWith(
    "{ user-tag-access: { user-allow: list, user-allow-list: [slipway, slipway-lab] } }",
  );
  await up(site);
  expect(site.proxmox.state().vms["2000"]?.config["tags"]).toBe("slipway;slipway-lab");
  // Nothing is to be tagged any more, so nobody's list matters, but for a tag that is new.
  expect(await tagFinding(site)).toMatchObject({ status: "ok", needed: "no other tags" });
  expect(await tagFinding(site, { tags: ["web"] })).toMatchObject({ status: "failed", needed: "web" });
});

test("whoever may not see the options of the datacenter is told so", async () => {
  await using site = await siteWith("{ user-tag-access: { user-allow: none } }", false);
  expect(await tagFinding(site)).toMatchObject({ status: "warned" });
  await expect(up(site)).rejects.toMatchObject({ code: "PVE_TAG_FORBIDDEN" });
});
