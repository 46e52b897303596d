import { isProgram, type ClientLab } from "./client-lab.ts";
import { succeeds } from "../peers.ts";

/** The distribution's own Python: others on PATH do not see its packages. */
const python = "/usr/bin/python3";
const playbook = "/usr/bin/ansible-playbook";

export const howToGetAnsible = "needs ansible and proxmoxer of the distribution (lab/install-ansible.sh)";

/** A Python that has proxmoxer and what it speaks HTTPS with. */
export function findProxmoxerPython(): string | undefined {
  const isThere = isProgram(python) && succeeds(python, "-c", "import proxmoxer, requests");
  return isThere ? python : undefined;
}

export function findAnsiblePlaybook(): string | undefined {
  return isProgram(playbook) && findProxmoxerPython() !== undefined ? playbook : undefined;
}

/** How both are told where the cluster is, whom to trust and who they are; the secret is no argument of a process. */
export function pythonAccess(lab: ClientLab): Record<string, string> {
  const [user = "", name = ""] = lab.token.id.split("!");
  return {
    PVE_HOST: lab.host,
    PVE_USER: user,
    PVE_TOKEN_NAME: name,
    PVE_TOKEN_SECRET: lab.token.secret,
    PVE_CA: lab.caFile,
    // Ansible's modules can only say "check the certificate", so the library underneath is told with what.
    REQUESTS_CA_BUNDLE: lab.caFile,
  };
}
