import { expect, test } from "vitest";
import { inHashOrder, ownChance } from "./hash-order.ts";
import { bench } from "../../../test/support/sim-proxmox-bench.ts";

const fixed = () => ownChance({ bytes: (count) => Buffer.alloc(count, 7) });

test("inHashOrder() leaves nothing out, and the same chance gives the same orders", () => {
  const items = Array.from({ length: 40 }, (_, index) => index);
  const [one, other] = [fixed(), fixed()];
  const first = inHashOrder({ random: one }, items);
  expect(first.toSorted((a, b) => a - b)).toEqual(items);
  expect(inHashOrder({ random: one }, items)).not.toEqual(first);
  expect(inHashOrder({ random: other }, items)).toEqual(first);
});

test("lists and keys come in another order from call to call, as those of a hash do", async () => {
  const box = await bench();
  for (const vmid of ["100", "101", "102", "103", "104"]) {
    await box.run("POST", "/nodes/hydra/qemu", { vmid, cores: "2", memory: "512", onboot: "1" });
  }
  const orders = async (path: string, name: (row: unknown) => unknown): Promise<string[]> => {
    const found: string[] = [];
    for (let time = 0; time < 12; time += 1) {
      const { data } = await box.ask("GET", path);
      found.push(JSON.stringify(Array.isArray(data) ? data.map(name) : Object.keys(data as object)));
    }
    return [...new Set(found)];
  };
  const key = (name: string) => (row: unknown) => (row as Record<string, unknown>)[name];
  expect((await orders("/nodes/hydra/qemu", key("vmid"))).length).toBeGreaterThan(1);
  expect((await orders("/cluster/resources", key("id"))).length).toBeGreaterThan(1);
  expect((await orders("/nodes/hydra/qemu/100/pending", key("key"))).length).toBeGreaterThan(1);
  expect((await orders("/nodes/hydra/qemu/100/config", key(""))).length).toBeGreaterThan(1);
});
