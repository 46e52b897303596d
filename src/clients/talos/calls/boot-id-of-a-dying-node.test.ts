import { expect, test } from "vitest";
import { notFound } from "../errors.ts";
import type { Caller } from "../wire/caller.ts";
import { bootId } from "./machine.ts";

/** A node whose power has gone, in the moment in which its file systems are taken away and its API still answers. */
const dyingNode = {
  address: "10.0.0.11",
  call: (_service: unknown, method: string) =>
    method === "Version"
      ? Promise.resolve({ version: "1.13.9", platform: "metal", arch: "amd64" })
      : Promise.reject(
          notFound({
            doing: "call MachineService/Read on 10.0.0.11",
            address: "10.0.0.11",
            reason: "stat /proc/sys/kernel/random/boot_id: no such file or directory",
            cause: undefined,
          }),
        ),
} as unknown as Caller;

test("bootId() of a node that is being torn down may be asked again, as one that does not answer", async () => {
  await expect(bootId(dyingNode)).rejects.toMatchObject({
    code: "TALOS_UNAVAILABLE",
    why: "it is going down",
    transient: true,
  });
});
