import { expect, test } from "vitest";
import { parseLibvirtUri } from "./uri.ts";

const problemsOf = (text: string): string[] => {
  const parsed = parseLibvirtUri(text);
  return "problems" in parsed ? parsed.problems : [];
};

test("parseLibvirtUri() reads the socket of this machine", () => {
  expect(parseLibvirtUri("qemu:///system")).toEqual({ uri: { transport: "unix", driver: "qemu:///system" } });
  expect(parseLibvirtUri("qemu:///session")).toEqual({
    uri: { transport: "unix", driver: "qemu:///session" },
  });
  expect(parseLibvirtUri("qemu+unix:///system?socket=/run/my-sock")).toEqual({
    uri: { transport: "unix", driver: "qemu:///system", socket: "/run/my-sock" },
  });
});

test("parseLibvirtUri() reads all that SSH needs", () => {
  expect(parseLibvirtUri("qemu+ssh://kvm1.lab/system")).toEqual({
    uri: {
      transport: "ssh",
      driver: "qemu:///system",
      host: "kvm1.lab",
      acceptsUnknownHost: false,
      proxy: "auto",
    },
  });
  const query =
    "socket=/run/s&keyfile=~/.ssh/lab%20key&known_hosts=/etc/known&no_verify=1&no_tty=1&proxy=netcat";
  expect(parseLibvirtUri(`qemu+ssh://ad%40min@[fd00::5]:2222/session?${query}`)).toEqual({
    uri: {
      transport: "ssh",
      driver: "qemu:///session",
      host: "fd00::5",
      port: 2222,
      user: "ad@min",
      socket: "/run/s",
      keyFile: "~/.ssh/lab key",
      knownHostsFile: "/etc/known",
      acceptsUnknownHost: true,
      proxy: "netcat",
    },
  });
});

test("parseLibvirtUri() reads TLS, which is also what a bare host means", () => {
  const uri = { transport: "tls", driver: "qemu:///system", host: "kvm1.lab", port: 16514 };
  expect(parseLibvirtUri("qemu+tls://kvm1.lab/system")).toEqual({ uri });
  expect(parseLibvirtUri("qemu://kvm1.lab/system")).toEqual({ uri });
  expect(parseLibvirtUri("qemu+tls://kvm1.lab:1/system?pkipath=/pki")).toEqual({
    uri: { ...uri, port: 1, pkiFolder: "/pki" },
  });
});

test("parseLibvirtUri() says in plain words what is wrong, all at once", () => {
  expect(problemsOf("kvm1.lab")).toEqual([
    "it is no URI; write qemu:///system or qemu+ssh://USER@HOST/system",
  ]);
  expect(problemsOf("xen+ssh://kvm1/")).toEqual([expect.stringContaining('QEMU/KVM only, not "xen"')]);
  expect(problemsOf("qemu+tcp://kvm1/system")).toEqual([expect.stringContaining("in the clear")]);
  expect(problemsOf("qemu+carrier-pigeon://kvm1/system")).toEqual([
    expect.stringContaining('"carrier-pigeon"'),
  ]);
  expect(problemsOf("qemu+ssh:///sytem?keyfile=id&colour=red")).toEqual([
    'after the host comes /system or /session, not "/sytem"',
    "a host is missing: qemu+ssh://HOST/system",
    expect.stringContaining('"colour" is not known here; known are socket, keyfile'),
    'keyfile must be an absolute path, not "id"',
  ]);
  expect(problemsOf("qemu+tls://kvm1/system?no_verify=1")).toEqual([expect.stringContaining("no_verify")]);
  expect(problemsOf("qemu+unix://kvm1/system")).toEqual([expect.stringContaining("needs no host")]);
  expect(problemsOf("qemu+ssh://kvm1/system?proxy=x")).toEqual([expect.stringContaining("proxy is auto")]);
});

test("parseLibvirtUri() does not repeat a password that was written into the URI", () => {
  const problems = problemsOf("qemu+ssh://me:sesame@kvm1/system");
  expect(problems).toEqual(["a password does not belong into a URI: use a key or an agent"]);
});
