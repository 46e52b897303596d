import { SlipwayError } from "../../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
}

const named = ({ cluster, node }: Place): string => `${cluster}/${node}`;

export const cloudInitFailed = (f: Place & { complaints: string[] }) =>
  new SlipwayError({
    code: "LINUX_CLOUD_INIT_FAILED",
    what: `Cannot set up "${f.node}"`,
    why: `cloud-init says: ${f.complaints.slice(0, 3).join("; ") || "error"}${f.complaints.length > 3 ? ` and ${f.complaints.length - 3} more` : ""}`,
    next: `Look at all of it: slipway ssh ${named(f)} -- sudo cat /var/log/cloud-init-output.log`,
    else: `cloud-init runs once: correct the file, then "slipway down" and "slipway up" make the machine anew`,
  });

export const keysLost = (f: Place & { file: string }) =>
  new SlipwayError({
    code: "LINUX_KEYS_LOST",
    what: `Cannot log in on "${f.node}"`,
    why: `there is no key for it: "${f.file}" and the keys beside it were never made here, or are lost`,
    next: `Put "${f.file}" and its folder back from your backup; a machine that is not up yet needs "slipway up ${f.cluster}" first`,
    else: `Log in with a key of your own that the file lists: ssh USER@ADDRESS`,
  });

export const noCloudInit = (f: Place) =>
  new SlipwayError({
    code: "LINUX_NO_CLOUD_INIT",
    what: `Cannot tell whether "${f.node}" is set up`,
    why: "there is no cloud-init in its image",
    next: "Use a cloud image, such as Debian's genericcloud or Ubuntu's cloudimg",
  });
