import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";

/** Every text in a YAML file that is long enough to be a secret; keys in PEM also without their armour. */
export function secretsIn(file: string): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value.length >= 16) texts.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const document of parseAllDocuments(readFileSync(file, "utf8"))) collect(document.toJS());
  const decoded = texts.map((text) => Buffer.from(text, "base64").toString("latin1"));
  const keys = decoded.filter((text) => text.includes("PRIVATE KEY")).flatMap((text) => text.split("\n"));
  return [...texts, ...keys.filter((line) => line.length >= 40 && !line.startsWith("---"))];
}

/** Private keys of access files. */
const keysIn = (text: string): string[] =>
  [...text.matchAll(/(?:client-key-data|key): *(\S{16,})/g)].map(([, key = ""]) => key);

/** All that `.slipway` holds in plain and nobody may tell. */
export function secretsOf(folder: string): string[] {
  const files = (name: string): string[] =>
    readdirSync(folder)
      .map((cluster) => path.join(folder, cluster, name))
      .filter((file) => existsSync(file));
  if (!existsSync(folder)) return [];
  const access = [...files("kubeconfig"), ...files("talosconfig")];
  return [
    ...files("secrets.yaml").flatMap(secretsIn),
    ...access.flatMap((file) => keysIn(readFileSync(file, "utf8"))),
  ];
}

/** The journals of all runs. */
export function journalsOf(folder: string): string[] {
  const runs = path.join(folder, "runs");
  if (!existsSync(runs)) return [];
  return readdirSync(runs).map((file) => readFileSync(path.join(runs, file), "utf8"));
}

/** Which of the secrets stand in a text, by their first characters. */
export const leaksIn = (text: string, secrets: readonly string[]): string[] =>
  secrets
    .filter((secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString("base64")))
    .map((secret) => `${secret.slice(0, 6)}…`);

/** Commands that are there to show a secret. */
const disclosing = ["kubeconfig", "talosconfig", "secrets", "kubectl", "talosctl", "proxmox"];

/** What programs have said in one place, searched for its secrets when it is over. */
export class SecretScan {
  private readonly told: (() => string)[] = [];

  listen(args: readonly string[], told: { stdout: string; stderr: string }): void {
    if (!disclosing.includes(args[0] ?? "")) this.told.push(() => `${told.stdout}\n${told.stderr}`);
  }

  /** Throws where one was told, on a screen or in a journal. */
  end(folder: string, more: readonly string[] = []): void {
    const all = [...this.told.map((each) => each()), ...journalsOf(folder)].join("\n");
    const secrets = [...secretsOf(folder), ...more.filter((secret) => secret !== "")];
    const leaks = leaksIn(all, secrets);
    if (leaks.length > 0) throw new Error(`these secrets were told: ${[...new Set(leaks)].join(", ")}`);
  }
}
