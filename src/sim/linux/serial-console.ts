import { createHash } from "node:crypto";
import type { HostCore } from "./host-core.ts";

/** What a cloud image prints on its first serial port. Like a real one it prints to whoever reads at that moment. */
export class SerialConsole {
  private readonly host: HostCore;

  constructor(host: HostCore) {
    this.host = host;
  }

  /** The kernel's first words, at every start. */
  started(): void {
    const { facts, disk } = this.host;
    this.print(`[    0.000000] Linux version ${facts.kernel} (${disk.architecture})`);
    this.print(
      "[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz root=LABEL=rootfs ro console=tty1 console=ttyS0",
    );
  }

  /** A prompt, and the cursor stays behind it: what is printed next stands on the same line. */
  prompt(): void {
    const { facts, disk } = this.host;
    const name = /PRETTY_NAME="([^"]*)"/.exec(facts.osRelease)?.[1] ?? "Linux";
    this.print(
      "[  \u001b[0;32mOK\u001b[0m  ] Started \u001b[0;1;39mssh.service\u001b[0m - OpenBSD Secure Shell server.",
    );
    this.print("");
    this.print(`${name} ${disk.hostname} ttyS0`);
    this.print("");
    this.host.power.print(`${disk.hostname} login: `);
  }

  /** As the script of `keys_to_console` writes them: fingerprints by way of the system's log, then the keys themselves. */
  hostKeys(publicKeys: string[]): void {
    const at = new Date(this.host.clock.now()).toUTCString();
    const stamp = `<14>${at.slice(8, 11)} ${at.slice(5, 7)} ${at.slice(17, 25)} cloud-init: `;
    const hashes = "#".repeat(61);
    const fingerprints = publicKeys.map((line) => {
      const [type = "", key = "", comment = ""] = line.split(" ");
      const hash = createHash("sha256")
        .update(Buffer.from(key, "base64"))
        .digest("base64")
        .replace(/=+$/, "");
      return `256 SHA256:${hash} ${comment} (${type.replace("ssh-", "").toUpperCase()})`;
    });
    for (const line of [
      hashes,
      "-----BEGIN SSH HOST KEY FINGERPRINTS-----",
      ...fingerprints,
      "-----END SSH HOST KEY FINGERPRINTS-----",
      hashes,
    ])
      this.print(`${stamp}${line}`);
    for (const line of [
      "-----BEGIN SSH HOST KEY KEYS-----",
      ...publicKeys,
      "-----END SSH HOST KEY KEYS-----",
    ])
      this.print(line);
  }

  /** The last line of cloud-init, at every start. */
  finished(): void {
    const up = ((this.host.clock.now() - this.host.bootedAt) / 1000).toFixed(2);
    this.print(
      `[${up.padStart(12)}0000] cloud-init[712]: Cloud-init v. ${this.host.facts.cloudInit} finished at ${new Date(this.host.clock.now()).toUTCString().replace("GMT", "+0000")}. Datasource DataSourceNoCloud [seed=/dev/sr0].  Up ${up} seconds`,
    );
  }

  private print(line: string): void {
    this.host.power.print(`${line}\r\n`);
  }
}
