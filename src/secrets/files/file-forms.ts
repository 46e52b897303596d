/** How a file lies on disk. Its name says it, so that git can be told to take the encrypted ones only. */
export type Form = "plain" | "age" | "sops";

export const forms: readonly Form[] = ["plain", "age", "sops"];

/** `secrets.yaml` is `secrets.yaml.age` or `secrets.sops.yaml`; a file that is no YAML ends with `.sops`. */
export function nameInForm(name: string, form: Form): string {
  if (form === "plain") return name;
  if (form === "age") return `${name}.age`;
  return name.endsWith(".yaml") ? name.replace(/\.yaml$/, ".sops.yaml") : `${name}.sops`;
}

/** The name it has as a plain file, and its form. */
export function formOf(name: string): { name: string; form: Form } {
  if (name.endsWith(".age")) return { name: name.slice(0, -4), form: "age" };
  if (name.endsWith(".sops")) return { name: name.slice(0, -5), form: "sops" };
  if (name.endsWith(".sops.yaml")) return { name: name.replace(/\.sops\.yaml$/, ".yaml"), form: "sops" };
  return { name, form: "plain" };
}

/** What git may take below `.slipway`: names that only encrypted files have. */
export const gitignore = ["*", "!.gitignore", "!*/", "!*.age", "!*.sops", "!*.sops.yaml", ""].join("\n");
