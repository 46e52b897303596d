import { newSshKey, sshPublicKey } from "../../lib/index.ts";
import type { GuestHardware } from "../guest.ts";
import { parentOf } from "./files/file-entry.ts";
import { root } from "./files/file-tree.ts";
import type { HostCore } from "./host-core.ts";

const resultFile = "/run/cloud-init/result.json";
/** Ends of words that only older ones say. */
const oldMode = "[dsmode=net]";
const hostKeyFile = "/etc/ssh/ssh_host_ed25519_key";

type Status = "not started" | "running" | "done" | "error" | "disabled";

/** Sets a host up from its seed: who may log in before SSH answers, all the rest while it answers already. */
export class CloudInit {
  private readonly host: HostCore;
  private status: Status = "not started";
  private errors: string[] = [];
  private warnings: string[] = [];
  private endedAt = 0;

  constructor(host: HostCore) {
    this.host = host;
  }

  get isRunning(): boolean {
    return this.status === "running";
  }

  /** Name, user and keys: once for each machine that the seed makes of it. */
  prepare(): void {
    const { disk, hardware, world } = this.host;
    const { seed } = hardware;
    [this.errors, this.warnings] = [[], []];
    this.status = seed ? "running" : "disabled";
    if (!seed) return;
    disk.addresses = seed.addresses;
    const instanceId = seed.instanceId ?? hardware.uuid;
    if (disk.instanceId === instanceId) return;
    disk.instanceId = instanceId;
    disk.user = seed.user ?? this.host.facts.user;
    const key = seed.hostKey === undefined ? newSshKey(world.random) : givenSshKey(seed.hostKey);
    this.write(hostKeyFile, key.private, 0o600);
    this.write(`${hostKeyFile}.pub`, `${key.public} root@${seed.hostname}\n`);
    this.authorize(disk.user, seed.sshKeys ?? []);
    this.write("/etc/hostname", `${seed.hostname}\n`);
    this.write("/etc/resolv.conf", resolver(seed.nameservers, seed.searchDomains ?? []));
  }

  /** The rest of it. Ends when it is done, at every start. */
  async run(signal: AbortSignal): Promise<void> {
    const { disk, hardware, world, power } = this.host;
    const { seed } = hardware;
    if (!seed) return;
    const isFirst = disk.hostname !== seed.hostname;
    disk.hostname = seed.hostname;
    power.saved();
    await world.clock.sleep(world.latencies.cloudInitMs / (isFirst ? 1 : 5), signal);
    while (this.host.fault("cloud-init-never-done")) await world.clock.sleep(1000, signal);
    if (isFirst) await this.setUp(seed, signal);
    this.printKeys();
    this.finish();
  }

  /** Files, then packages. Commands are not run: what they would do nobody knows. */
  private async setUp(
    { files = [], packages = [] }: NonNullable<GuestHardware["seed"]>,
    signal: AbortSignal,
  ): Promise<void> {
    const { disk, world, power } = this.host;
    for (const { path, content, mode = "0644" } of files) this.write(path, content, Number.parseInt(mode, 8));
    for (const name of packages.filter((each) => !disk.packages.includes(each))) {
      await world.clock.sleep(world.latencies.packageMs, signal);
      disk.packages.push(name);
    }
    power.saved();
  }

  /** Near its very end, and once: another start of the same instance prints nothing of it. */
  private printKeys(): void {
    const { disk, files, console, power } = this.host;
    if (disk.instanceId === undefined || disk.printedKeysOf === disk.instanceId) return;
    disk.printedKeysOf = disk.instanceId;
    power.saved();
    if (this.host.fault("no-keys-on-console")) return;
    console.hostKeys([files.read(`${hostKeyFile}.pub`, root).toString().trim()]);
  }

  /** What its status command prints. */
  long(): string {
    const at = new Date(this.endedAt === 0 ? this.host.clock.now() : this.endedAt).toUTCString();
    const updated = `last_update: ${at.replace("GMT", "+0000")}`;
    if (this.isOld()) {
      const detail = this.status === "error" ? this.errors.join("\n") : this.detail();
      return lines([
        `status: ${this.status}`,
        `boot_status_code: ${this.bootCode()}`,
        updated,
        "detail:",
        detail,
      ]);
    }
    const listed = this.errors.length === 0 ? ["errors: []"] : ["errors:", ...this.errors.map(item)];
    const got =
      this.warnings.length === 0
        ? ["recoverable_errors: {}"]
        : ["recoverable_errors:", "WARNING:", ...this.warnings.map(item)];
    return lines([
      `status: ${this.status}`,
      `extended_status: ${this.extended()}`,
      `boot_status_code: ${this.bootCode()}`,
      updated,
      `detail: ${this.detail()}`,
      ...listed,
      ...got,
    ]);
  }

  json(): string {
    const said = {
      boot_status_code: this.bootCode(),
      datasource: this.status === "disabled" ? "" : "nocloud",
      detail: this.detail(),
      errors: this.errors,
      ...(!this.isOld() && {
        extended_status: this.extended(),
        recoverable_errors: this.warnings.length === 0 ? {} : { WARNING: this.warnings },
      }),
      status: this.status,
    };
    const whole = this.isOld() ? { _schema_version: "1", ...said, schemas: { "1": said } } : said;
    return `${JSON.stringify(whole, null, 2)}\n`;
  }

  /** 1: it failed; 2: done, but with complaints. Those before 23.4 do not know the latter. */
  exitCode(): number {
    if (this.status === "error") return 1;
    return this.warnings.length > 0 && !this.isOld() ? 2 : 0;
  }

  private finish(): void {
    const failed = this.host.fault("cloud-init-error");
    const degraded = this.host.fault("cloud-init-degraded");
    if (failed)
      this.errors = [
        failed.message ??
          "('package_update_upgrade_install', ProcessExecutionError('Unexpected error while running command.'))",
      ];
    if (degraded)
      this.warnings = [degraded.message ?? "Failed at merging in cloud config part from part-001"];
    this.status = failed ? "error" : "done";
    this.endedAt = this.host.clock.now();
    this.host.console.finished();
    const result = { v1: { datasource: this.source(), errors: this.errors } };
    this.write(resultFile, `${JSON.stringify(result, null, 1)}\n`);
  }

  private authorize(user: string, keys: string[]): void {
    const home = `/home/${user}`;
    const owner = { user, isRoot: true };
    for (const [folder, mode] of [
      [home, 0o750],
      [`${home}/.ssh`, 0o700],
    ] as const)
      if (!this.host.files.find(folder)) this.host.files.makeFolder(folder, owner, mode);
    const text = keys.map((key) => `${key.trim()}\n`).join("");
    this.host.files.write(`${home}/.ssh/authorized_keys`, Buffer.from(text), owner, 0o600);
  }

  private write(path: string, text: string, mode = 0o644): void {
    const { files } = this.host;
    this.makeFolders(parentOf(path));
    files.write(path, Buffer.from(text), root, mode);
  }

  private makeFolders(path: string): void {
    const { files } = this.host;
    if (files.find(path)) return;
    this.makeFolders(parentOf(path));
    files.makeFolder(path, root);
  }

  private extended(): string {
    return this.warnings.length > 0 && this.status !== "running" ? `degraded ${this.status}` : this.status;
  }

  private detail(): string {
    return this.status === "disabled" ? "Cloud-init disabled by cloud-init-generator" : this.source();
  }

  private source(): string {
    return `DataSourceNoCloud [seed=/dev/sr0]${this.isOld() ? oldMode : ""}`;
  }

  private isOld(): boolean {
    return this.host.facts.cloudInit.startsWith("22.");
  }

  private bootCode(): string {
    return this.status === "disabled" ? "disabled-by-generator" : "enabled-by-generator";
  }
}

/** The private key of the host, once it has one. */
export const hostKeyOf = (host: HostCore): string | undefined =>
  host.files.find(hostKeyFile) && host.files.read(hostKeyFile, root).toString();

const givenSshKey = (text: string) => ({ private: text, public: sshPublicKey(text) ?? "" });

const item = (text: string): string => `\t- ${text}`;
const lines = (all: string[]): string => `${all.join("\n")}\n`;

const resolver = (nameservers: string[], domains: string[]): string =>
  [
    ...nameservers.map((address) => `nameserver ${address}\n`),
    ...(domains.length === 0 ? [] : [`search ${domains.join(" ")}\n`]),
  ].join("");
