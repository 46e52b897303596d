import { nameOf } from "../files/file-entry.ts";
import { root } from "../files/file-tree.ts";
import type { HostCore } from "../host-core.ts";
import { Service } from "./service.ts";
import { readUnitFile } from "./unit-file.ts";

const folder = "/etc/systemd/system";

/** `k3s` is short for `k3s.service`. */
export const unitName = (name: string): string => (name.includes(".") ? name : `${name}.service`);

/** The services of a host: read from its unit files, started with the system when they are enabled. */
export class Systemd {
  private readonly host: HostCore;
  private readonly services = new Map<string, Service>();
  /** Unit files as they were read. */
  private readonly loaded = new Map<string, string>();
  readonly journal = new Journal();
  private lastPid = 900;

  constructor(host: HostCore) {
    this.host = host;
  }

  /** The system starts: nothing of the last one is known, enabled services are started. */
  boot(): void {
    this.services.clear();
    const { files } = this.host;
    for (const target of files.children(folder).filter((name) => name.endsWith(".target.wants")))
      for (const name of files.children(`${folder}/${target}`)) void this.find(name)?.start();
  }

  /** The system ends. In good order every service is stopped first. */
  async halt(): Promise<void> {
    await Promise.all([...this.services.values()].map((service) => service.stop()));
  }

  async whenOver(): Promise<void> {
    await Promise.all([...this.services.values()].map((service) => service.whenOver()));
  }

  /** As loaded: a changed file counts after `reload()`, a new one at once. */
  find(name: string): Service | undefined {
    const known = this.services.get(name);
    if (known) return known;
    const text = this.textOf(name);
    if (text === undefined) return undefined;
    const service = new Service(this.host, name, readUnitFile(text, name));
    this.loaded.set(name, text);
    this.services.set(name, service);
    return service;
  }

  reload(): void {
    for (const [name, service] of this.services) {
      const text = this.textOf(name);
      if (text !== undefined) {
        service.unit = readUnitFile(text, name);
        this.loaded.set(name, text);
      } else if (service.state.active === "inactive") this.services.delete(name);
    }
  }

  /** Its file has changed since it was read. */
  isStale(name: string): boolean {
    return this.services.has(name) && this.textOf(name) !== this.loaded.get(name);
  }

  isEnabled(name: string): boolean {
    return this.linksOf(name).some((path) => this.host.files.find(path, root, false));
  }

  /** The links that were made; undefined when there is no such unit. */
  enable(name: string): { link: string; file: string }[] | undefined {
    if (this.textOf(name) === undefined) return undefined;
    const { files } = this.host;
    return this.linksOf(name)
      .filter((link) => !files.find(link, root, false))
      .map((link) => {
        const parent = link.slice(0, link.lastIndexOf("/"));
        if (!files.find(parent)) files.makeFolder(parent, root);
        files.makeLink(link, this.fileOf(name), root);
        return { link, file: this.fileOf(name) };
      });
  }

  /** The links that were removed. */
  disable(name: string): string[] {
    const { files } = this.host;
    const links = files
      .pathsBelow(folder)
      .filter((path) => path.includes(".target.wants/") && nameOf(path) === name);
    for (const link of links) files.remove(link, root);
    return links;
  }

  log(unit: string, by: string, line: string): void {
    const { clock, disk } = this.host;
    this.journal.add({ unit, boot: disk.boots, at: clock.now(), by: nameOf(by), line });
  }

  nextPid(): number {
    this.lastPid += 7;
    return this.lastPid;
  }

  fileOf(name: string): string {
    return `${folder}/${name}`;
  }

  private linksOf(name: string): string[] {
    const text = this.textOf(name);
    return readUnitFile(text ?? "", name).wantedBy.map((target) => `${folder}/${target}.wants/${name}`);
  }

  private textOf(name: string): string | undefined {
    const { files } = this.host;
    const file = this.fileOf(name);
    return files.find(file)?.kind === "file" ? files.read(file, root).toString() : undefined;
  }
}

interface Entry {
  unit: string;
  boot: number;
  /** Milliseconds since 1970, by the host's own clock. */
  at: number;
  by: string;
  line: string;
}

const mostEntries = 5000;

/** What services and systemd itself have written, in order. It is kept while the machine has power. */
class Journal {
  private entries: Entry[] = [];

  add(entry: Entry): void {
    for (const line of entry.line.split("\n")) this.entries.push({ ...entry, line });
    if (this.entries.length > mostEntries) this.entries = this.entries.slice(-mostEntries);
  }

  of(unit: string | undefined, boot: number | undefined): readonly Entry[] {
    return this.entries.filter(
      (entry) => (unit === undefined || entry.unit === unit) && (boot === undefined || entry.boot === boot),
    );
  }
}
