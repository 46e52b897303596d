import { expect, test } from "vitest";
import { bench, hosts, port, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";
import { wireCaller } from "../../../../test/support/proxmox/wire-caller.ts";

/** Somebody with a token of full power and the given privileges on a path. */
async function somebody(box: Bench, path: string, privs: string) {
  await box.ask("POST", "/access/roles", { roleid: "Some", privs });
  await box.ask("POST", "/access/users", { userid: "some@pve" });
  await box.ask("PUT", "/access/acl", { path, users: "some@pve", roles: "Some" });
  const made = await box.ask("POST", "/access/users/some@pve/token/full", { privsep: "0" });
  const authorization = `PVEAPIToken=some@pve!full=${(made.data as { value: string }).value}`;
  const call = wireCaller({ host: hosts.hydra, port, ca: box.sim.ca, authorization });
  return (method: string, at: string, params?: Record<string, string>) =>
    box.time.during(call(method, at, params));
}

test("who may modify the users of a group sees and changes them, and others that do not exist are told apart", async () => {
  const box = await bench();
  await box.ask("POST", "/access/groups", { groupid: "crew" });
  await box.ask("POST", "/access/users", { userid: "in@pve", groups: "crew" });
  await box.ask("POST", "/access/users", { userid: "out@pve" });
  const ask = await somebody(box, "/access/groups/crew", "User.Modify");
  const { data } = await ask("GET", "/access/users");
  expect((data as { userid: string }[]).map(({ userid }) => userid)).toEqual(["in@pve"]);
  const change = (user: string, groups?: string) =>
    ask("PUT", `/access/users/${user}`, { comment: "x", ...(groups && { groups }) });
  expect(await change("in@pve", "crew")).toMatchObject({ status: 200 });
  expect(await change("in@pve")).toMatchObject({
    status: 403,
    message: "Permission check failed (/access/groups, User.Modify)\n",
  });
  expect(await change("out@pve", "crew")).toMatchObject({ message: "Permission check failed\n" });
  expect(await change("ghost@pve")).toMatchObject({ status: 500, message: "no such user ('ghost@pve')\n" });
  expect(await ask("POST", "/access/users", { userid: "nobody" })).toMatchObject({
    status: 500,
    message: "value 'nobody' does not look like a valid user name\n",
  });
});

test("who owns a thing hands out what they have themselves, and the list shows it to them and to auditors", async () => {
  const box = await bench();
  const ask = await somebody(box, "/vms/100", "VM.Allocate,VM.Audit");
  const grant = (roles: string, path = "/vms/100") =>
    ask("PUT", "/access/acl", { path, roles, users: "some@pve" });
  expect((await grant("Some")).status).toBe(200);
  expect((await grant("PVEVMUser")).message).toMatch(/^ACL update failed: 400 Parameter verification failed/);
  expect((await grant("Some", "/vms")).status).toBe(403);
  expect(await grant("Some", "/a b")).toMatchObject({
    status: 400,
    errors: { path: "invalid ACL path '/a b'" },
  });
  const { data } = await ask("GET", "/access/acl");
  expect((data as { path: string }[]).map(({ path }) => path)).toEqual(["/vms/100"]);
});

test("an ACL call that fails at its second role has changed nothing", async () => {
  const box = await bench();
  const before = structuredClone(box.sim.state().acl);
  const params = { path: "/vms", users: "slipway@pve", roles: "PVEVMUser,NOPE" };
  expect((await box.ask("PUT", "/access/acl", params)).status).toBe(500);
  expect(box.sim.state().acl).toEqual(before);
});

test("realms are made, changed and taken away, but for those that every cluster has", async () => {
  const box = await bench();
  const ldap = { realm: "hq", type: "ldap", server1: "10.0.0.9", base_dn: "dc=hq", user_attr: "uid" };
  const domains = "/access/domains";
  expect((await box.ask("POST", domains, ldap)).status).toBe(200);
  expect((await box.ask("PUT", `${domains}/hq`, { default: "1" })).status).toBe(200);
  expect((await box.ask("GET", domains)).data).toContainEqual({ realm: "hq", type: "ldap", default: 1 });
  const refused = async (method: string, path: string, params: Record<string, string> = {}) =>
    (await box.ask(method, path, params)).message;
  expect(await refused("POST", domains, { ...ldap, realm: "pve" })).toContain("domain 'pve' already exists");
  expect(await refused("POST", domains, { realm: "p2", type: "pve" })).toContain(
    "unable to create builtin type",
  );
  expect(await refused("POST", domains, { realm: "l2", type: "ldap" })).toContain(
    "required option 'server1'",
  );
  expect(await refused("PUT", `${domains}/hq`)).toContain("no options specified");
  expect(await refused("DELETE", `${domains}/no-such`)).toBe(
    "delete auth server failed: authentication domain 'no-such' does not exist\n",
  );
  await box.ask("DELETE", `${domains}/hq`);
  await box.ask("DELETE", `${domains}/pve`);
  expect(((await box.ask("GET", domains)).data as object[]).length).toBe(2);
});

test("who may audit nothing still learns of consoles and of how tags look", async () => {
  const box = await bench();
  await box.ask("PUT", "/cluster/options", { console: "html5", keyboard: "de" });
  const ask = await somebody(box, "/vms", "VM.Audit");
  expect((await ask("GET", "/cluster/options")).data).toEqual({ console: "html5", "allowed-tags": [] });
});
