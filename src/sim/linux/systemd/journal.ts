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
export class Journal {
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
