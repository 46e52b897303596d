import { expect, test } from "vitest";
import { z } from "zod";
import { distributions, type AnyDistribution } from "../../src/distros/index.ts";
import { linux } from "../../src/distros/linux/index.ts";
import {
  guestOf,
  HostSession,
  LinuxAccess,
  sshPort,
  systemStep,
} from "../../src/distros/linux-hosts/index.ts";
import { fleetStatus } from "../../src/operations/index.ts";
import { defineResource, same, type GraphNode } from "../../src/plan/index.ts";
import { guestsOf, parseFleet, type Fleet } from "../../src/spec/index.ts";
import { errorsIn, rehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A distribution in one folder and one line: plain machines on which its own step writes a greeting. */

interface Greeting {
  cluster: string;
  node: string;
  address: string;
  user: string;
  text: string;
}

const place = "/etc/motd";

const greeting = (access: LinuxAccess) => {
  const on = async <T>(want: Greeting, work: (host: HostSession) => Promise<T>): Promise<T> => {
    const host = new HostSession(access, { ...want, firstContact: "console" }, "toy.user");
    try {
      return await work(host);
    } finally {
      host.close();
    }
  };
  const write = (want: Greeting): Promise<string> =>
    on(want, async (host) => {
      await host.write(place, want.text, "0644");
      return want.text;
    });
  return defineResource<Greeting, string>({
    kind: "toy/greeting",
    read: (_ctx, want) => on(want, (host) => host.read(place)).catch(() => undefined),
    compare: (want, have) =>
      have === want.text
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "greeting", from: have, to: want.text }],
          },
    create: (_ctx, want) => write(want),
    update: (_ctx, want) => write(want),
    remove: async () => {},
  });
};

const options = z.strictObject({ greeting: z.string() });

const toy: AnyDistribution = {
  name: "toy",
  options,
  accessFiles: [],
  facts: () => ({ title: "Toy", accessFiles: [], answersAt: sshPort }),
  open(world) {
    const plain = linux.open(world);
    return {
      ...plain,
      resources: [...plain.resources, greeting(new LinuxAccess(world))],
      async describe(cluster, machines) {
        const guests = guestsOf(cluster);
        const said = options.parse("options" in guests.distribution ? guests.distribution.options : {});
        const greetings = cluster.nodes.map((node): GraphNode<Greeting> => ({
          id: `${cluster.name}/greeting/${node.name}`,
          kind: "toy/greeting",
          name: `greeting on ${node.name}`,
          want: { ...guestOf(guests, node), text: said.greeting },
          after: [systemStep(cluster.name, node.name)],
          group: "nodes",
          stage: "distro",
          cluster: cluster.name,
          node: node.name,
        }));
        return [...(await plain.describe(cluster, machines)), ...greetings];
      },
    };
  },
};

/** The one line. */
const withToy = [...distributions, toy];

const file = (cluster: string): string => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.93.0.1:8006", node: hydra, token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    ${cluster}
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.93.0.0/24, gateway: .254 }
    workers: { web: { count: 2, address: .20, vmid: 3000 } }
`;

const parse = (cluster: string) =>
  parseFleet({ file: "lab.yaml", text: file(cluster) }, { distributions: withToy });

function fleetWith(cluster: string): Fleet {
  const parsed = parse(cluster);
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  return parsed.fleet;
}

test("a toy distribution, added with one line, brings a cluster up, shows it and takes it down", async () => {
  const fleet = fleetWith("toy: { user: debian, greeting: Hello }");
  await using site = await rehearsalSite(fleet, { distributions: withToy });
  const up = await site.up(fleet);
  expect(up.runReport.outcome, errorsIn(up.events).join("; ")).toBe("done");
  const hosts = [...site.rehearsal.datacenter.linux.hosts().values()];
  expect(hosts.map((host) => host.view.files.read(place)?.toString("utf8"))).toEqual(["Hello", "Hello"]);
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");

  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const [status] = await fleetStatus({ fleet, selection: {} }, world);
  expect([status?.state, status?.ready, status?.version]).toEqual(["Ready", 2, "Toy"]);

  const { changes } = await site.plan(fleetWith("toy: { user: debian, greeting: Good morning }"));
  expect(changes.map(({ node, consequence }) => [node.id, consequence])).toEqual([
    ["lab/greeting/web-1", "hot"],
    ["lab/greeting/web-2", "hot"],
  ]);

  const down = await site.down(fleet);
  expect(down.runReport.outcome, errorsIn(down.events).join("; ")).toBe("done");
  expect(site.machines()).toEqual([]);
});

test.each([
  ["toy: { user: debian }", '"toy" lacks "greeting"'],
  ["toy: { greeting: Hello, usr: debian }", 'Unknown field "usr"'],
  ["toy: { user: debian, greeting: Hello, files: [] }", '"files" cannot be told to machines on Proxmox'],
  ["talos: {}\n    toy: { user: debian, greeting: Hello }", "talos and toy exclude each other"],
])("what is wrong in its part of the file is told in its place: %s", (cluster, what) => {
  const parsed = parse(cluster);
  const [problem] = "problems" in parsed ? parsed.problems : [];
  expect(problem?.what).toContain(what);
  expect(problem?.position.path).toMatch(/^clusters\.lab\.toy/);
});

test("without its line nobody knows its key", () => {
  const text = file("toy: { user: debian, greeting: Hello }");
  const parsed = parseFleet({ file: "lab.yaml", text }, { distributions });
  expect("problems" in parsed && parsed.problems.map(({ what }) => what)).toContain('Unknown field "toy"');
});
