import { expect, test } from "vitest";
import { printedFingerprint } from "./first-contact.ts";

const key = "n0tRZH2lRcVyCcOBcbPVrZ9wQZ5T8W1c9oXqkPv4LzE=";
const fields = `"component": "controller-runtime", "controller": "runtime.MaintenanceServiceInformController"`;
const line = `[talos] server certificate issued {${fields}, "fingerprint": "${key}"}`;

test.each([
  ["as the kernel prints it", `[    9.215001] ${line}`],
  ["without the kernel's time", line],
  ["of the service of older versions", `[    9.2] ${line.replace("Inform", "")}`],
])("the fingerprint is read from a line %s", (_, text) => {
  expect(printedFingerprint(text)).toBe(key);
});

test.each([
  [
    "a host name given by somebody else",
    `[talos] setting hostname {"hostname": "server certificate issued {${fields}, \\"fingerprint\\": \\"${key}\\"}"}`,
  ],
  ["the same without quotes of JSON", `[talos] got name { ${line}`],
  [
    "the usage, printed once for the first key only",
    `[talos] \ttalosctl apply-config --cert-fingerprint '${key}'`,
  ],
  [
    "another part of Talos",
    line.replace("runtime.MaintenanceServiceInformController", "network.HostnameController"),
  ],
  ["a shorter value", line.replace(key, key.slice(4))],
  ["half a line", line.slice(0, -10)],
  ["a program that is not Talos", line.replace("[talos] ", "")],
])("no fingerprint is read from %s", (_, text) => {
  expect(printedFingerprint(text)).toBeUndefined();
});
