/** What `cloud-init status --long` says. */
export interface CloudInitStatus {
  status: string;
  /** `degraded done`; only newer ones say it. */
  extended?: string;
  detail: string;
  /** What went wrong, in its own words. */
  complaints: string[];
}

/** Older ones put what went wrong into the detail, newer ones into lists of errors. */
export function readCloudInitStatus(text: string): CloudInitStatus {
  const fields = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, name, rest = ""] = /^([a-z_]+):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name === undefined) {
      if (line.trim() !== "") lines.push(line.trim());
      continue;
    }
    lines = rest.trim() === "" ? [] : [rest.trim()];
    fields.set(name, lines);
  }
  const said = (name: string): string => (fields.get(name) ?? []).join(" ");
  const status = said("status") || "unknown";
  const listed = ["errors", "recoverable_errors"].flatMap((name) =>
    (fields.get(name) ?? []).filter((line) => line.startsWith("- ")).map((line) => line.slice(2).trim()),
  );
  const detail = said("detail");
  const extended = said("extended_status");
  return {
    status,
    ...(extended !== "" && { extended }),
    detail,
    complaints: listed.length > 0 || status !== "error" || detail === "" ? listed : [detail],
  };
}
