/** Every command there is, so that screens propose none that is missing. A test holds it against the program. */
const commandNames = new Set([
  "init",
  "validate",
  "plan",
  "up",
  "down",
  "status",
  "verify",
  "doctor",
  "snapshot",
  "rehearse",
  "sim",
  "kubeconfig",
  "talosconfig",
  "talos",
  "proxmox",
  "ssh",
  "console",
  "adopt",
  "export",
  "schema",
  "completion",
]);

export const isCommand = (name: string): boolean => commandNames.has(name);
