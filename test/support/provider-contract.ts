/** What every provider must do, whatever its hypervisor. Each brings a site of its own kind. */
import { describe, expect, test } from "vitest";
import type { ErrorData } from "../../src/errors/index.ts";
import type { Finding, Plan, Survey } from "../../src/plan/index.ts";
import type { Cluster, Host, Node } from "../../src/spec/index.ts";

/** How a run ended. */
export interface RunReport {
  failed: { step: string; error: ErrorData }[];
  stopped: string[];
  /** `started cp-1`, `finished cp-1`: steps of machines, in the order they were told. */
  order: string[];
}

/** A host of one's own, runs of a provider on it, and hands that reach it past the provider. */
export interface ContractSite extends AsyncDisposable {
  host: Host;
  /** Machines `cp-1`, `cp-2` and so on, as small as the host makes them. */
  cluster(nodes: Partial<Node>[], more?: Partial<Cluster>): Cluster;
  /** These ask a provider that remembers nothing, as the next start of the program does. */
  survey(hosts?: Host[]): Promise<Survey>;
  plan(cluster: Cluster): Promise<Plan>;
  removal(cluster: Cluster, options?: RemovalOptions): Promise<Plan>;
  preflight(cluster: Cluster, host?: Host): Promise<Finding[]>;
  /** Carries out the plan that was made last. */
  run(plan: Plan): Promise<RunReport>;
  /** What is left of what the last plan removed. */
  findLeftovers(): Promise<string[]>;
  /** Behind so many calls that change something, the connection breaks or the run is stopped. Undefined: neither. */
  cutAfter(calls: number | undefined, how?: "broken" | "stopped"): void;
  /** Behind how many calls makings of a machine are cut, by the way it is done, and removals. */
  cuts: { broken: number[]; stopped: number[]; removal: number[] };
  /** What a guest knows itself by: its card and what the hypervisor tells it. */
  identity(cluster: Cluster, node: string): Promise<string>;
  /** Another one after each start. */
  session(cluster: Cluster, node: string): Promise<string>;
  /** Somebody puts a machine where the node would go, bare or with the mark of another cluster, and says what it is. */
  putStranger(cluster: Cluster, node: string, owner?: string): Promise<() => Promise<string>>;
  removeByHand(cluster: Cluster, node: string): Promise<void>;
  /** Writes on a data disk that was kept. */
  writeOnKept(cluster: Cluster, node: string): Promise<void>;
  isWritten(cluster: Cluster, node: string): Promise<boolean>;
  /** Everything on the host that was not there before, seen past the provider. */
  listing(): Promise<string[]>;
  /** A host that nobody answers for. */
  unreachable: Host;
  /** What is wrong in several ways, and the codes that say so. */
  bad: { host: Host; cluster: Cluster; codes: string[] };
}

export interface RemovalOptions {
  losesData?: boolean;
  /** Only this node, and nothing that others need. */
  node?: string;
  /** Others on the same host. */
  staying?: Cluster[];
}

export function describeProviderContract(
  name: string,
  open: () => Promise<ContractSite>,
  timeoutMs = 120_000,
): void {
  const up = async (site: ContractSite, cluster: Cluster): Promise<RunReport> =>
    site.run(await site.plan(cluster));
  const down = async (
    site: ContractSite,
    cluster: Cluster,
    leftovers: RemovalOptions = {},
  ): Promise<RunReport> => site.run(await site.removal(cluster, leftovers));
  const demandUp = async (site: ContractSite, cluster: Cluster): Promise<void> => {
    expect((await up(site, cluster)).failed).toEqual([]);
    expect((await site.plan(cluster)).changes).toEqual([]);
  };
  const demandGone = async (site: ContractSite, before: string[]): Promise<void> => {
    expect(await site.findLeftovers()).toEqual([]);
    expect(await site.listing()).toEqual(before);
  };
  const changesOf = async (site: ContractSite, cluster: Cluster) =>
    (await site.plan(cluster)).changes.map(({ node, action, consequence, fields }) => ({
      node: node.node,
      action,
      consequence,
      fields: fields.map(({ field }) => field),
    }));
  /** Others may have machines there too. */
  const machinesOf = async (site: ContractSite, cluster: Cluster) =>
    (await site.survey()).machines.filter((each) => each.cluster === cluster.name);
  const machineOf = async (site: ContractSite, cluster: Cluster, node: string) =>
    (await machinesOf(site, cluster)).find((each) => each.node === node);

  describe(`the provider contract on ${name}`, { timeout: timeoutMs }, () => {
    test("machines are made at once, found again by their mark, and go at once without a trace", async () => {
      await using site = await open();
      const before = await site.listing();
      const cluster = site.cluster([{}, { role: "worker", cores: 2, dataDisks: [{ sizeGiB: 1 }] }]);
      const [first, second] = cluster.nodes;
      const started = ["started cp-1", "started cp-2"];
      const made = await up(site, cluster);
      expect(made).toMatchObject({ failed: [], stopped: [] });
      expect(made.order.slice(0, 2).toSorted()).toEqual(started);
      const shared = { cluster: cluster.name, host: site.host.name, isRunning: true, isProtected: false };
      expect(
        (await machinesOf(site, cluster)).toSorted((a, b) => a.node.localeCompare(b.node)),
      ).toMatchObject([
        { ...shared, node: "cp-1", role: "control-plane", cores: 1, memoryMiB: first?.memoryMiB },
        {
          ...shared,
          node: "cp-2",
          role: "worker",
          cores: 2,
          memoryMiB: second?.memoryMiB,
          dataDisksGiB: [1],
        },
      ]);
      expect((await site.plan(cluster)).changes).toEqual([]);
      const gone = await down(site, cluster, { losesData: true });
      expect(gone.failed).toEqual([]);
      expect(gone.order.slice(0, 2).toSorted()).toEqual(started);
      await demandGone(site, before);
      expect((await site.removal(cluster, { losesData: true })).changes).toEqual([]);
    });

    test("memory and cores change in place, and the guest stays who it is", async () => {
      await using site = await open();
      const [small, large] = [site.cluster([{}]), site.cluster([{ memoryMiB: 48, cores: 2 }])];
      await demandUp(site, small);
      const before = await site.identity(small, "cp-1");
      const [change] = await changesOf(site, large);
      expect(change).toMatchObject({ node: "cp-1", action: "update" });
      expect(change?.consequence).not.toBe("data");
      expect(change?.fields.toSorted()).toEqual(["cores", "memory"]);
      await demandUp(site, large);
      expect(await site.identity(large, "cp-1")).toBe(before);
      expect(await machineOf(site, large, "cp-1")).toMatchObject({
        cores: 2,
        memoryMiB: 48,
        isRunning: true,
      });
    });

    test("disks grow and come while the machine runs; none shrinks, and one that goes is told as lost", async () => {
      await using site = await open();
      const sized = (diskGiB: number, ...data: number[]) =>
        site.cluster([{ diskGiB, dataDisks: data.map((sizeGiB) => ({ sizeGiB })) }]);
      await demandUp(site, sized(2));
      const before = await site.identity(sized(2), "cp-1");
      const session = await site.session(sized(2), "cp-1");
      for (const cluster of [sized(3, 1), sized(3, 2)]) {
        expect(await changesOf(site, cluster)).toMatchObject([{ action: "update", consequence: "hot" }]);
        await demandUp(site, cluster);
      }
      expect(await site.session(sized(3, 2), "cp-1")).toBe(session);
      expect(await machineOf(site, sized(3, 2), "cp-1")).toMatchObject({
        dataDisksGiB: [2],
        isRunning: true,
      });

      const smaller = await site.plan(sized(2, 2));
      expect(smaller.changes).toMatchObject([{ action: "replace", consequence: "data" }]);
      expect(smaller.changes[0]?.loses).toContain("system disk of cp-1");
      const forced = smaller.changes.map((change) => ({ ...change, action: "update" as const }));
      const { failed } = await site.run({ ...smaller, changes: forced });
      expect(failed.map(({ error }) => error.code)).toEqual([expect.stringMatching(/^[A-Z]+_DISK_SHRINKS$/)]);

      const without = await site.plan(sized(3));
      expect(without.changes).toMatchObject([{ action: "update", consequence: "data" }]);
      expect(without.changes[0]?.loses).toContain("data disk");
      await demandUp(site, sized(3));
      expect(await site.identity(sized(3), "cp-1")).toBe(before);
    });

    test("data outlives its machine, and the next one gets it back", async () => {
      await using site = await open();
      const disposable = { sizeGiB: 2, isDisposable: true } as const;
      const cluster = site.cluster([{}, { dataDisks: [{ sizeGiB: 1 }, disposable] }]);
      await demandUp(site, cluster);
      const plan = await site.removal(cluster, { node: "cp-2" });
      expect(plan.changes.find(({ node }) => node.node === "cp-2")?.node.keeps).toBe("data disk");
      expect((await site.run(plan)).failed).toEqual([]);
      expect(await site.findLeftovers()).toEqual([]);
      const kept = async () =>
        (await site.survey()).keptDisks
          .filter((disk) => disk.cluster === cluster.name)
          .map(({ node, index, sizeGiB }) => ({ node, index, sizeGiB }));
      expect(await kept()).toEqual([{ node: "cp-2", index: 0, sizeGiB: 1 }]);
      await site.writeOnKept(cluster, "cp-2");
      await demandUp(site, cluster);
      expect(await kept()).toEqual([]);
      expect(await site.isWritten(cluster, "cp-2")).toBe(true);
    });

    test("a machine of somebody else in the place of a node is refused and never touched", async () => {
      await using site = await open();
      const cluster = site.cluster([{}]);
      const look = await site.putStranger(cluster, "cp-1");
      const before = await look();
      await expect(site.plan(cluster)).rejects.toMatchObject({
        code: expect.stringMatching(/FOREIGN/) as string,
        next: expect.stringMatching(/\w/) as string,
      });
      const failures = (await site.preflight(cluster)).filter(({ status }) => status === "failed");
      expect(failures.map(({ error }) => error?.code)).toEqual([expect.stringMatching(/_TAKEN$/)]);
      expect((await site.removal(cluster)).changes.filter(({ node }) => node.node)).toEqual([]);
      expect(await look()).toBe(before);
    });

    test("a machine with the mark of another cluster is that cluster's, and named", async () => {
      await using site = await open();
      const cluster = site.cluster([{}]);
      const look = await site.putStranger(cluster, "cp-1", "theirs");
      const before = await look();
      await expect(site.plan(cluster)).rejects.toMatchObject({
        why: expect.stringContaining("theirs") as string,
      });
      expect(await machineOf(site, { ...cluster, name: "theirs" }, "cp-1")).toMatchObject({ node: "cp-1" });
      expect((await site.removal(cluster)).changes.filter(({ node }) => node.node)).toEqual([]);
      expect(await look()).toBe(before);
    });

    test("two clusters share a host, and one goes without the other", async () => {
      await using site = await open();
      const [mine, other] = [site.cluster([{}]), site.cluster([{}], { name: `${site.cluster([]).name}-b` })];
      await demandUp(site, mine);
      const before = await site.listing();
      await demandUp(site, other);
      expect((await site.plan(mine)).changes).toEqual([]);
      expect((await down(site, other, { losesData: true, staying: [mine] })).failed).toEqual([]);
      await demandGone(site, before);
      expect((await site.plan(mine)).changes).toEqual([]);
    });

    test("a removal does not mind what is gone already", async () => {
      await using site = await open();
      const before = await site.listing();
      const cluster = site.cluster([{}]);
      await demandUp(site, cluster);
      const plan = await site.removal(cluster);
      await site.removeByHand(cluster, "cp-1");
      expect((await site.run(plan)).failed).toEqual([]);
      await demandGone(site, before);
    });

    test.each(["broken", "stopped"] as const)(
      "a making that was %s is finished by the next run, and so is its removal",
      async (how) => {
        await using site = await open();
        const before = await site.listing();
        const cluster = site.cluster([{ dataDisks: [{ sizeGiB: 1, isDisposable: true }] }]);
        for (const [index, calls] of site.cuts[how].entries()) {
          site.cutAfter(calls, how);
          const cut = await up(site, cluster);
          expect({ calls, ended: cut.failed.length + cut.stopped.length > 0 }).toEqual({
            calls,
            ended: true,
          });
          site.cutAfter(undefined);
          // Every second one is undone from where it is.
          if (index % 2 === 0) await demandUp(site, cluster);
          site.cutAfter(site.cuts.removal[index % site.cuts.removal.length], how);
          await down(site, cluster);
          site.cutAfter(undefined);
          expect((await down(site, cluster)).failed).toEqual([]);
          await demandGone(site, before);
        }
      },
      180_000,
    );

    test("preflight passes where all is well", async () => {
      await using site = await open();
      const found = await site.preflight(site.cluster([{}]));
      expect(found.length).toBeGreaterThan(5);
      expect(found.filter(({ status }) => status === "failed")).toEqual([]);
    });

    test("preflight names everything that is wrong at once, each with what to do", async () => {
      await using site = await open();
      const { host, cluster, codes } = site.bad;
      const errors = (await site.preflight(cluster, host)).flatMap(({ error }) => error ?? []);
      expect(errors.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
      for (const { next } of errors) expect(next).toMatch(/\w/);
    });

    test("a host that does not answer is told as silent, and keeps nobody from the others", async () => {
      await using site = await open();
      const survey = await site.survey([site.host, site.unreachable]);
      expect(survey.hosts.map(({ host }) => host)).toEqual([site.host.name]);
      expect(survey.unreachable).toMatchObject([
        { host: site.unreachable.name, error: { next: expect.stringMatching(/\w/) as string } },
      ]);
      const findings = await site.preflight(site.cluster([{}]), site.unreachable);
      expect(findings.filter(({ status }) => status === "failed")).toHaveLength(1);
    });
  });
}
