import dgram from "node:dgram";
import { expect, onTestFinished, test } from "vitest";
import { magicPacket, wakeOnLan } from "./wake-on-lan.ts";

test("a magic packet is six times ff and sixteen times the address", () => {
  const packet = magicPacket("9c:6b:00:12:34:56");
  expect(packet).toHaveLength(102);
  expect(packet.subarray(0, 6).toString("hex")).toBe("ffffffffffff");
  expect(packet.subarray(6).toString("hex")).toBe("9c6b00123456".repeat(16));
});

test("it is heard where it is sent to", async () => {
  const listener = dgram.createSocket("udp4");
  onTestFinished(() => void listener.close());
  await new Promise<void>((resolve) => listener.bind(0, "127.0.0.1", resolve));
  const heard = new Promise<Buffer>((resolve) => listener.once("message", resolve));
  await wakeOnLan("9c-6b-00-12-34-56", { address: "127.0.0.1", port: listener.address().port });
  expect(await heard).toEqual(magicPacket("9c:6b:00:12:34:56"));
});
