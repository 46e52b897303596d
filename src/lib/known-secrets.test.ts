import { expect, test } from "vitest";
import { knownSecrets, learnSecret, withoutSecrets } from "./known-secrets.ts";

test("a secret is hidden wherever it stands, also in base64 and in addresses", () => {
  learnSecret("correct horse/battery\n");
  const base64 = Buffer.from("correct horse/battery").toString("base64");
  const told = {
    text: "password correct horse/battery was refused",
    deep: [{ data: base64, url: "https://me:correct%20horse%2Fbattery@registry" }],
    count: 3,
  };
  expect(withoutSecrets(told)).toEqual({
    text: "password (secret) was refused",
    deep: [{ data: "(secret)", url: "https://me:(secret)@registry" }],
    count: 3,
  });
});

test("a private key is found by any of its lines", () => {
  const line = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v_lib_test_VpguoRK9JLsLMREScVpe";
  const pem = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
  learnSecret(Buffer.from(pem).toString("base64"));
  expect(withoutSecrets(`key: ${line}`)).toBe("key: (secret)");
  expect(withoutSecrets("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
});

test("what is too short to be a secret stays in texts", () => {
  learnSecret("lab");
  expect(withoutSecrets("lab is up")).toBe("lab is up");
  expect(knownSecrets()).not.toContain("lab");
});
