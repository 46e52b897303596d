import { expect, onTestFinished, test } from "vitest";
import { listenToCalls, tellCall, traced, type TracedCall } from "./call-trace.ts";

function listener(): TracedCall[] {
  const heard: TracedCall[] = [];
  onTestFinished(listenToCalls((call) => heard.push(call)));
  return heard;
}

test("a call is told when it has ended, with a number of its own, how it ended and how long it took", async () => {
  const heard = listener();
  const talos = { protocol: "talos", to: "192.0.2.7", call: "MachineService/Version" } as const;
  expect(await traced(talos, async () => "v1")).toBe("v1");
  const kube = { protocol: "kubernetes", to: "https://192.0.2.8", call: "GET /version" } as const;
  await traced(
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
  const heard = listener();
  const failure = Object.assign(new Error("refused"), { code: "SSH_UNREACHABLE" });
  const ssh = { protocol: "ssh", to: "bastion", call: "log in as admin" } as const;
  await expect(traced(ssh, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(heard).toMatchObject([{ ...ssh, outcome: "SSH_UNREACHABLE" }]);
});

test("who has stopped listening hears nothing more", () => {
  const heard: TracedCall[] = [];
  listenToCalls((call) => heard.push(call))();
  tellCall({ protocol: "helm", to: "helm", call: "upgrade", ms: 1, outcome: "exit 0" });
  expect(heard).toEqual([]);
});
