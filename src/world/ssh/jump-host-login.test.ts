import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../../../test/support/ssh/sshd.ts";
import { openJumpHosts } from "./jump-hosts.ts";
import { sshString } from "../../lib/index.ts";
import type { Jump } from "../../spec/index.ts";
import { sshSettings } from "./settings.ts";
import { peers } from "../../../test/support/peers.ts";

/** Ways to log in that take more than a key and a known host, each before a real sshd. */
describe.skipIf(!hasSshd)(`logging in to jump hosts (${withoutSshd})`, peers, () => {
  const home = mkdtempSync(path.join(tmpdir(), "slipway-login-"));
  const { SSH_AUTH_SOCK: _agent, ...own } = process.env;
  const env: NodeJS.ProcessEnv = { ...own, HOME: home, XDG_RUNTIME_DIR: home, LC_ALL: "C" };
  const at = { file: path.join(home, "slipway.yaml"), line: 1, column: 1 };
  const inHome = (name: string): string => path.join(home, name);
  const echo = net.createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));

  const keygen = (...args: string[]): unknown => execFileSync("ssh-keygen", ["-q", ...args]);
  const makeKey = (name: string, passphrase = ""): string => {
    keygen("-t", "ed25519", "-N", passphrase, "-C", name, "-f", inHome(name));
    return inHome(name);
  };
  const publicOf = (file: string): string => readFileSync(`${file}.pub`, "utf8").trim();

  beforeAll(async () => {
    mkdirSync(inHome(".ssh"), { mode: 0o700 });
    for (const name of ["authority", "stranger"]) makeKey(name);
    await new Promise<void>((resolve) => void echo.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    echo.close();
    rmSync(home, { recursive: true });
  });

  async function start(lines: string[] = []): Promise<TestSshd> {
    const sshd = await startSshd({ lines });
    onTestFinished(() => sshd.stop());
    return sshd;
  }
  const jumpTo = (
    { host, port, user, keyFile, knownHostsFile }: TestSshd,
    more: Partial<Jump> = {},
  ): Jump => ({
    ...{ host, port, user, keyFile, knownHostsFile, at },
    ...more,
  });

  interface Asking {
    answers?: string[];
    env?: NodeJS.ProcessEnv;
  }
  /** What comes back through the host, what was said on the way, and what a person was asked. */
  async function through(jump: Jump, asking: Asking = {}) {
    const [said, asked]: [string[], string[]] = [[], []];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return asking.answers?.[asked.length - 1] ?? "";
    };
    const seen = asking.env ?? env;
    const world = openJumpHosts({
      env: seen,
      settings: sshSettings(seen, asking.answers && ask),
      resolveSecret: () => Promise.resolve(""),
      say: (line) => said.push(line),
    });
    onTestFinished(() => world.close());
    const { port } = echo.address() as net.AddressInfo;
    const dial = world.dialOver([jump]);
    const again = async (): Promise<string> => {
      const socket = await dial({ host: "127.0.0.1", port });
      socket.end("hello");
      return text(socket);
    };
    return { echoed: await again(), again, said, asked };
  }

  describe("certificates", () => {
    const certify = (key: string, by: string): unknown =>
      keygen("-s", inHome(by), "-I", "somebody", "-n", userInfo().username, `${key}.pub`);
    const onlyCertified = (): Promise<TestSshd> =>
      start(["AuthorizedKeysFile none", `TrustedUserCAKeys ${inHome("authority")}.pub`]);

    test("a certificate beside the key lets in whom the authority knows, and nobody else", async () => {
      const sshd = await onlyCertified();
      const [known, unknown] = [makeKey("id_known"), makeKey("id_unknown")];
      certify(known, "authority");
      certify(unknown, "stranger");
      const { echoed, said } = await through(jumpTo(sshd, { keyFile: known }));
      expect(echoed).toBe("hello");
      expect(said).toEqual([
        `127.0.0.1 is reached with your own ssh program: your key has a certificate (${known}-cert.pub)`,
      ]);
      await expect(through(jumpTo(sshd, { keyFile: unknown }))).rejects.toMatchObject({
        code: "SSH_PROGRAM_FAILED",
        why: expect.stringContaining("Permission denied") as string,
      });
      await expect(through(jumpTo(sshd, { keyFile: known, transport: "builtin" }))).rejects.toMatchObject({
        code: "SSH_LOGIN_REFUSED",
        else: expect.stringContaining("transport: openssh") as string,
      });
    });

    test("CertificateFile of ~/.ssh/config counts as well", async () => {
      const { host, port, knownHostsFile } = await onlyCertified();
      const key = makeKey("id_apart");
      certify(key, "authority");
      cpSync(`${key}-cert.pub`, inHome("elsewhere.pub"));
      rmSync(`${key}-cert.pub`);
      writeFileSync(
        inHome(".ssh/config"),
        `Host gate
  HostName ${host}
  Port ${port}
  IdentityFile ${key}
  CertificateFile ${inHome("elsewhere.pub")}
  UserKnownHostsFile ${knownHostsFile}
`,
      );
      const { echoed, said } = await through({ host: "gate", at });
      expect(echoed).toBe("hello");
      expect(said.join()).toContain(inHome("elsewhere.pub"));
    });

    test("a host is trusted for what its authority says, not for what another does", async () => {
      const hostKey = makeKey("host_key");
      keygen("-s", inHome("authority"), "-I", "gate", "-h", "-n", "127.0.0.1", `${hostKey}.pub`);
      const sshd = await start([`HostKey ${hostKey}`, `HostCertificate ${hostKey}-cert.pub`]);
      const trusting = (authority: string): Jump => {
        const knownHostsFile = inHome(`known_by_${authority}`);
        writeFileSync(knownHostsFile, `@cert-authority 127.0.0.* ${publicOf(inHome(authority))}\n`);
        return jumpTo(sshd, { knownHostsFile });
      };
      const { echoed, said } = await through(trusting("authority"));
      expect(echoed).toBe("hello");
      expect(said.join()).toContain("names an authority for it (@cert-authority)");
      await expect(through(trusting("stranger"))).rejects.toMatchObject({
        code: "SSH_PROGRAM_FAILED",
        why: expect.stringContaining("Host key verification failed") as string,
      });
      // Where a key of the host is known as well, we need nobody's word for it.
      const both = trusting("authority");
      appendFileSync(both.knownHostsFile ?? "", `[127.0.0.1]:${sshd.port} ${publicOf(hostKey)}\n`);
      expect(await through(both)).toMatchObject({ echoed: "hello", said: [] });
    });
  });

  test("a key on a security key is left to the ssh program, which must be there", async () => {
    const keyFile = inHome("id_ed25519_sk");
    writeFileSync(keyFile, securityKeyFile(), { mode: 0o600 });
    const sshd = await start();
    await expect(through(jumpTo(sshd, { keyFile }))).rejects.toMatchObject({ code: "SSH_PROGRAM_FAILED" });
    await expect(
      through(jumpTo(sshd, { keyFile }), { env: { ...env, PATH: "/nowhere" } }),
    ).rejects.toMatchObject({
      code: "SSH_PROGRAM_MISSING",
      why: `${keyFile} lies on a security key, which only that program can use, and there is none on this machine`,
      next: expect.stringContaining("openssh-client") as string,
    });
  });

  describe("a key with a passphrase", () => {
    const passphrase = "open sesame 7";

    async function protectedSite(): Promise<{ sshd: TestSshd; keyFile: string }> {
      const sshd = await start();
      const keyFile = path.join(sshd.folder, "id_protected");
      // One round: opening it takes a library that is not fast.
      keygen("-t", "ed25519", "-a", "1", "-N", passphrase, "-f", keyFile);
      writeFileSync(path.join(sshd.folder, "authorized_keys"), `${publicOf(keyFile)}\n`);
      return { sshd, keyFile };
    }

    test("is asked for on a terminal, again after a slip, and then never again", async () => {
      const { sshd, keyFile } = await protectedSite();
      const { echoed, again, asked } = await through(jumpTo(sshd, { keyFile }), {
        answers: ["open barley", passphrase],
      });
      expect(echoed).toBe("hello");
      expect(asked).toEqual([
        `Passphrase of ${keyFile}: `,
        `That does not open it. Passphrase of ${keyFile}: `,
      ]);
      sshd.kill();
      sshd.restart();
      expect(await again()).toBe("hello");
      expect(asked).toHaveLength(2);
    });

    test("ends the attempt after three wrong answers, and says so without a terminal", async () => {
      const { sshd, keyFile } = await protectedSite();
      await expect(
        through(jumpTo(sshd, { keyFile }), { answers: ["one", "two", "three"] }),
      ).rejects.toMatchObject({ code: "SSH_KEY_PASSPHRASE_WRONG" });
      await expect(through(jumpTo(sshd, { keyFile }), { answers: [""] })).rejects.toMatchObject({
        code: "SSH_KEY_ENCRYPTED",
      });
      await expect(through(jumpTo(sshd, { keyFile }))).rejects.toMatchObject({
        code: "SSH_KEY_ENCRYPTED",
        why: expect.stringContaining("there is no terminal to ask at") as string,
        next: `Put it into ssh-agent: ssh-add ${keyFile}`,
      });
    });

    test("is not asked for where another key will do", async () => {
      const { sshd, keyFile } = await protectedSite();
      const { host, port, folder, knownHostsFile } = sshd;
      const other = makeKey("id_open");
      writeFileSync(path.join(folder, "authorized_keys"), `${publicOf(keyFile)}\n${publicOf(other)}\n`);
      const said = { HostName: host, Port: port, UserKnownHostsFile: knownHostsFile, IdentityFile: keyFile };
      const lines = [...Object.entries(said), ["IdentityFile", other]].map((words) => words.join(" "));
      writeFileSync(inHome(".ssh/config"), `Host gate\n${lines.join("\n")}\n`);
      const { echoed, asked } = await through({ host: "gate", at }, { answers: [passphrase] });
      expect(echoed).toBe("hello");
      expect(asked).toEqual([]);
    });
  });
});

/** As far as anybody can read it without the device. */
function securityKeyFile(): string {
  const type = "sk-ssh-ed25519@openssh.com";
  const open = Buffer.concat([sshString(type), sshString(Buffer.alloc(32, 1)), sshString("ssh:")]);
  const bytes = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    ...["none", "none", ""].map((each) => sshString(each)),
    Buffer.from([0, 0, 0, 1]),
    sshString(open),
    sshString(Buffer.alloc(64)),
  ]);
  const lines = bytes.toString("base64").match(/.{1,70}/g) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join(
    "\n",
  );
}
