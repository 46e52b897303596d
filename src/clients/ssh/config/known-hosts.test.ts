import { expect, test } from "vitest";
import {
  hostKeyAlgorithms,
  judgeHostKey,
  keyFingerprint,
  knownHostLine,
  knownName,
  parseKnownHosts,
} from "./known-hosts.ts";
import { sshString } from "../../../lib/index.ts";

const keyOf = (type: string, content: string): Buffer =>
  Buffer.concat([sshString(type), sshString(content.padEnd(32, "."))]);
const [mine, other] = [keyOf("ssh-ed25519", "mine"), keyOf("ssh-ed25519", "other")];
const line = (names: string, key = mine, marker = ""): string => `${marker}${knownHostLine(names, key)}`;
const judge = (text: string, name: string, key = mine): string =>
  judgeHostKey(parseKnownHosts(text, "known_hosts"), name, key).is;

test("a host is known by its name, its address or a pattern, and by no other", () => {
  const text = ["# a comment", "", line("node.lab,10.0.0.5"), line("*.rack,!bad.rack")].join("\n");
  expect(judge(text, "node.lab")).toBe("known");
  expect(judge(text, "10.0.0.5")).toBe("known");
  expect(judge(text, "a.rack")).toBe("known");
  expect(judge(text, "bad.rack")).toBe("unknown");
  expect(judge(text, "nodeXlab")).toBe("unknown");
  expect(judge("", "node.lab")).toBe("unknown");
});

test("another port is another host", () => {
  expect(knownName({ host: "Node.lab", port: 22 })).toBe("node.lab");
  expect(knownName({ host: "fd00::5", port: 2222 })).toBe("[fd00::5]:2222");
  expect(judge(line("[node.lab]:2222"), "[node.lab]:2222")).toBe("known");
  expect(judge(line("[node.lab]:2222"), "node.lab")).toBe("unknown");
  expect(judge(line("node.lab"), "[node.lab]:2222")).toBe("unknown");
});

test("a name that OpenSSH has hashed is found again", () => {
  const key = "AAAAC3NzaC1lZDI1NTE5AAAAILiCZbdMxZgAcBU/hxWdERNLXjQCQCQOXq4dzU4l17zS";
  const text = `|1|/xcTtJaQBvIWJubVIduyXSI9is8=|iCxIta0uhaTZUYoTyCtccZnq2nU= ssh-ed25519 ${key}\n|1|B/K2R8/pcHIil/VbrJCcQAtfq0E=|Q7h9lTFI/9mvb4k7avz/FmH16nA= ssh-ed25519 ${key}\n`;
  const shown = Buffer.from(key, "base64");
  expect(judge(text, "node.lab", shown)).toBe("known");
  expect(judge(text, "[node.lab]:2222", shown)).toBe("known");
  expect(judge(text, "node.lab", mine)).toBe("changed");
  expect(judge(text, "[node.lab]:2223", shown)).toBe("unknown");
  expect(keyFingerprint(shown)).toBe("ssh-ed25519 SHA256:5MuLqmpJulzNHyTB/VOBQbkVpUZ/IhnCtUX0MyuB90g");
});

test("a key that differs from all known ones has changed, even when it is of another type", () => {
  const text = [line("node.lab"), line("node.lab", keyOf("ecdsa-sha2-nistp256", "mine"))].join("\n");
  expect(judge(text, "node.lab", other)).toBe("changed");
  expect(judge(text, "node.lab", keyOf("ssh-rsa", "mine"))).toBe("changed");
  expect(judge(text, "node.lab", keyOf("ecdsa-sha2-nistp256", "mine"))).toBe("known");
});

test("a revoked key is refused although another line trusts it", () => {
  const text = [line("node.lab"), line("*", mine, "@revoked ")].join("\n");
  expect(judge(text, "node.lab")).toBe("revoked");
  expect(judge(line("*", other, "@revoked "), "node.lab")).toBe("unknown");
});

test("lines about authorities are not taken for host keys", () => {
  expect(judge(line("*", mine, "@cert-authority "), "node.lab")).toBe("unknown");
});

test("a host is asked first for a key of a type that is known", () => {
  const entries = parseKnownHosts(line("node.lab", keyOf("ssh-rsa", "mine")), "known_hosts");
  expect(hostKeyAlgorithms(entries, "node.lab").slice(0, 3)).toEqual([
    "rsa-sha2-512",
    "rsa-sha2-256",
    "ssh-ed25519",
  ]);
  expect(hostKeyAlgorithms(entries, "elsewhere")[0]).toBe("ssh-ed25519");
});

test("a key type made up by the other side cannot become part of a command", () => {
  expect(knownHostLine("node.lab", keyOf("x'; reboot; '", "mine"))).toMatch(/^node\.lab unknown-type /);
});
