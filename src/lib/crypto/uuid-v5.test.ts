import { expect, test } from "vitest";
import { uuidV5 } from "../index.ts";

test("uuidV5() gives the UUIDs that others give", () => {
  const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
  expect(uuidV5(dns, "python.org")).toBe("886313e1-3b8a-5372-9b90-0c9aee199e5d");
  expect(uuidV5(dns, "www.example.com")).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
});
