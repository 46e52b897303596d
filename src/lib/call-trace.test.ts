import { expect, test } from "vitest";
import { RemoteTimer } from "./time/remote-timer.ts";
import { CallTrace, type TracedCall } from "./call-trace.ts";

function listener(): { calls: CallTrace; heard: TracedCall[] } {
  const calls = new CallTrace();
  const heard: TracedCall[] = [];
  calls.listen((call) => heard.push(call));
  return { calls, heard };
}

test("a call is told when it has ended, with a number of its own, how it ended and how long it took", async () => {
  const { calls, heard } = listener();
  const talos = { protocol: "talos", to: "192.0.2.7", call: "MachineService/Version" } as const;
  expect(await calls.run(talos, async () => "v1")).toBe("v1");
  const kube = { protocol: "kubernetes", to: "https://192.0.2.8", call: "GET /version" } as const;
  await calls.run(
    kube,
    async () => ({ code: 201 }),
    ({ code }) => String(code),
  );
  expect(heard).toMatchObject([
    { ...talos, outcome: "ok" },
    { ...kube, outcome: "201" },
  ]);
  expect(heard.every(({ ms }) => ms >= 0 && ms < 5_000)).toBe(true);
  expect(heard[1]?.id).toBe((heard[0]?.id ?? 0) + 1);
});

test("a call that fails is told with the code of its error, which goes on", async () => {
  const { calls, heard } = listener();
  const failure = Object.assign(new Error("refused"), { code: "SSH_UNREACHABLE" });
  const ssh = { protocol: "ssh", to: "bastion", call: "log in as admin" } as const;
  await expect(calls.run(ssh, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(heard).toMatchObject([{ ...ssh, outcome: "SSH_UNREACHABLE" }]);
});

test("who has stopped listening hears nothing more", () => {
  const calls = new CallTrace();
  const heard: TracedCall[] = [];
  calls.listen((call) => heard.push(call))();
  calls.tell({ protocol: "helm", to: "helm", call: "upgrade", ms: 1, outcome: "exit 0" });
  expect(heard).toEqual([]);
});

test("time spent with other machines counts for the piece of work that waits, and once where calls overlap", async () => {
  const calls = new CallTrace();
  let nowMs = 0;
  const [mine, others] = [new RemoteTimer(() => nowMs), new RemoteTimer(() => nowMs)];
  const pass = async (ms: number) => {
    await Promise.resolve();
    nowMs += ms;
  };
  await calls.timing(mine, () =>
    Promise.all([calls.remotely(() => pass(10)), calls.remotely(() => pass(5))]).then(() => pass(100)),
  );
  await new CallTrace().timing(others, () => calls.remotely(() => pass(7)));
  expect([mine.totalMs, others.totalMs]).toEqual([15, 0]);
});

test("a call says on whose behalf it was made, and one outside of that, or in another trace, does not", async () => {
  const { calls, heard } = listener();
  const others = listener();
  const timer = new RemoteTimer(() => 0);
  const call = { protocol: "talos", to: "192.0.2.7", call: "Reboot" } as const;
  const both = async (): Promise<void> => {
    await calls.run(call, () => Promise.resolve());
    await others.calls.run(call, () => Promise.resolve());
  };
  await Promise.all([
    calls.timing(timer, both, "lab/machine/cp-1"),
    calls.timing(timer, both, "lab/machine/cp-2"),
    both(),
  ]);
  expect(heard.map(({ by }) => by)).toEqual(["lab/machine/cp-1", "lab/machine/cp-2", undefined]);
  expect(others.heard.map(({ by }) => by)).toEqual([undefined, undefined, undefined]);
});

test("what is under way is told until it has ended", async () => {
  const calls = new CallTrace();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const reboot = { protocol: "talos", to: "192.0.2.7", call: "Reboot" } as const;
  const call = calls.run(reboot, () => ended);
  expect(calls.underWay()).toEqual([reboot]);
  expect(new CallTrace().underWay()).toEqual([]);
  end();
  await call;
  expect(calls.underWay()).toEqual([]);
});
