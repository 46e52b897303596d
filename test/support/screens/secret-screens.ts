import * as views from "../../../src/cli/views/index.ts";
import type { TestScreen } from "./canvas.ts";

/** Secret files, credentials and tokens: made, shown, exchanged and taken over. */
export const secretScreens = (screen: TestScreen): Record<string, string> => {
  const secret = { cluster: "homelab", name: "secrets.yaml", canOpen: true };
  const open = ".slipway/homelab/secrets.yaml";
  const closed = ".slipway/homelab/secrets.sops.yaml";
  return {
    "secrets show": views.renderSecrets(
      [
        { ...secret, file: open, form: "plain", wanted: "sops" },
        { ...secret, file: ".slipway/edge/ssh/id_ed25519.age", form: "age", wanted: "age", canOpen: false },
      ],
      screen,
    ),
    "secrets rekey": views.renderRekeyed(
      [
        { file: closed, before: "plain", after: "sops" },
        { file: open, before: "plain", after: "removed" },
      ],
      screen,
    ),
    "secrets recover": views.renderRecovered(
      { cluster: "homelab", file: open, isNew: true, provenBy: ["cp-1", "cp-2", "cp-3"] },
      screen,
    ),
    "rotate credentials": views.renderRenewed(
      [
        {
          ...{ credential: "kubeconfig", file: ".slipway/homelab/kubeconfig" },
          old: "copies of the old one work until 2027-07-14; only a new CA ends them before: slipway rotate ca kubernetes homelab",
        },
      ],
      screen,
    ),
    "proxmox rotate": views.renderRotatedToken(
      { cluster: "homelab", file: ".slipway/homelab/proxmox-token.yaml", hosts: ["hydra", "lyra"] },
      screen,
    ),
    adopt: views.renderAdoption(
      {
        ...{ cluster: "homelab", file: open, isNew: true },
        nodes: [
          { node: "cp-1", address: "192.168.1.101", state: "ours" },
          {
            ...{ node: "worker-1", address: "192.168.1.111", state: "unreachable" },
            know: "nobody answers at 192.168.1.111:50000 within 5s",
          },
        ],
      },
      screen,
    ),
  };
};
