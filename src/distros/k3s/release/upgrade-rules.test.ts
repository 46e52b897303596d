import { expect, test } from "vitest";
import { demandUpgrade } from "./upgrade-rules.ts";

const to = (version: string, role: "server" | "agent" = "server") => ({
  cluster: "edge",
  node: "cp-1",
  role,
  version,
});

test("one minor version at a time, and rebuilds of one Kubernetes count", () => {
  expect(() => demandUpgrade(to("1.36.3+k3s1"), "1.36.3+k3s1")).not.toThrow();
  expect(() => demandUpgrade(to("1.36.3+k3s2"), "1.36.3+k3s1")).not.toThrow();
  expect(() => demandUpgrade(to("1.36.3+k3s1"), "1.35.7+k3s1")).not.toThrow();
});

test("going back is refused", () => {
  expect(() => demandUpgrade(to("1.36.3+k3s1"), "1.36.3+k3s2")).toThrow(
    expect.objectContaining({ code: "K3S_DOWNGRADE" }) as Error,
  );
});

test("a server leaves out no minor version; an agent that was left behind may", () => {
  expect(() => demandUpgrade(to("1.36.3+k3s1"), "1.34.10+k3s1")).toThrow(
    expect.objectContaining({
      code: "K3S_MINOR_SKIPPED",
      next: expect.stringContaining("version: v1.35 first") as string,
    }) as Error,
  );
  expect(() => demandUpgrade(to("1.36.3+k3s1", "agent"), "1.34.10+k3s1")).not.toThrow();
});
