import { expect, test } from "vitest";
import { parse } from "yaml";
import { libvirtHostNamed } from "../../../../test/support/libvirt/site.ts";
import { seedFiles } from "../../../images/seed/nocloud-seed.ts";
import { newSshKey, realRandom } from "../../../lib/index.ts";
import { parseFleet } from "../../../spec/index.ts";
import { seedWithKeys } from "./machine-volumes.ts";
import { machineWant } from "../machine/machine-want.ts";

const mine = newSshKey(realRandom);

function wantOf(packages: string) {
  const text = `version: 1
hosts: { desk: { libvirt: {} } }
clusters:
  lab:
    linux:
      user: debian
      keys: ["${mine.public} me@desk"]
      packages: ${packages}
      files: [{ path: /etc/motd, content: "Welcome: #1\\n" }]
      commands: [[touch, "/tmp/it's; here"]]
      timezone: Europe/Berlin
    image: { file: debian.qcow2 }
    network: { cidr: 10.77.0.0/24, search: [lab.test], bridge: br0 }
    workers: { web: { count: 1, address: .21 } }
`;
  const parsed = parseFleet({ file: "slipway.yaml", text });
  const cluster = "fleet" in parsed ? parsed.fleet.clusters[0] : undefined;
  const [node] = cluster?.nodes ?? [];
  if (!cluster || !node) throw new Error(JSON.stringify(parsed));
  return machineWant(cluster, { node, host: libvirtHostNamed("desk") }, "debian.qcow2");
}

test("a plan holds what the file says and no key of the machine", async () => {
  const want = wantOf("[nginx]");
  const host = newSshKey(realRandom);
  const login = newSshKey(realRandom);
  const guestKeys = async () => ({ host: host.private, login: login.public });
  const whole = seedFiles(await seedWithKeys({ guestKeys }, want))["user-data"];
  expect(JSON.stringify(want)).not.toContain("PRIVATE");
  expect(JSON.stringify(want)).not.toContain(login.public);
  expect(parse(whole)).toEqual({
    users: [
      {
        name: "debian",
        shell: "/bin/bash",
        lock_passwd: true,
        sudo: "ALL=(ALL) NOPASSWD:ALL",
        ssh_authorized_keys: [login.public, `${mine.public} me@desk`],
      },
    ],
    ssh_pwauth: false,
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: host.private },
    timezone: "Europe/Berlin",
    package_update: true,
    packages: ["nginx"],
    write_files: [{ path: "/etc/motd", content: "Welcome: #1\n" }],
    runcmd: [["touch", "/tmp/it's; here"]],
  });
});

test("machines of Talos are given no keys", async () => {
  const { config, ...bare } = wantOf("[]").seed;
  const never = () => Promise.reject(new Error("nobody asks"));
  expect(config).toBeDefined();
  const seed = await seedWithKeys({ guestKeys: never }, { cluster: "lab", node: "cp-1", seed: bare });
  expect(seed).toBe(bare);
});
