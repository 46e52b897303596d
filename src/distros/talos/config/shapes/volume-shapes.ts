import { named, single } from "./heading.ts";
import {
  atomic,
  duration,
  flag,
  list,
  part,
  since,
  struct,
  text,
  texts,
  value,
  type Shape,
  type StructShape,
} from "./shape.ts";

const match = part({ match: atomic });
const provisioning = part({ diskSelector: match, grow: flag, minSize: atomic, maxSize: text });

const encryptionKey = struct(
  {
    slot: text,
    static: struct({ passphrase: text }),
    nodeID: struct({}),
    kms: struct({ endpoint: text }, { endpoint: "" }),
    tpm: struct({ options: since(12, struct({ pcrs: texts })), checkSecurebootStatusOnEnroll: flag }),
    lockToState: since(11, flag),
  },
  { slot: 0 },
);

const encryption = part(
  {
    provider: text,
    keys: list(encryptionKey),
    cipher: text,
    keySize: text,
    blockSize: text,
    options: texts,
    allowDiscards: since(14, flag),
  },
  { provider: "none", keys: [] },
);

const mount = (fields: Record<string, Shape>): Shape =>
  part({ ...fields, disableAccessTime: flag, secure: flag });
const upkeep = since(14, struct({ enabled: flag, interval: duration }));
const xfs = since(14, struct({ minAllocationGroupSize: atomic }));

/** Documents about disks, partitions and what lies on them. */
export const volumeShapes: Record<string, StructShape> = {
  VolumeConfig: named({
    provisioning,
    filesystem: since(14, part({ xfs })),
    encryption: since(11, encryption),
    mount: since(13, part({ secure: flag, disableAccessTime: since(14, flag) })),
    trim: upkeep,
    scrub: upkeep,
  }),
  UserVolumeConfig: named({
    volumeType: since(12, flag),
    provisioning,
    filesystem: part({ type: text, projectQuotaSupport: since(11, flag), xfs }),
    encryption,
    mount: since(13, mount({})),
    trim: upkeep,
    scrub: upkeep,
  }),
  RawVolumeConfig: named({ provisioning, encryption }),
  SwapVolumeConfig: named({ provisioning, encryption }),
  ExistingVolumeConfig: named({
    discovery: part({ volumeSelector: match }),
    mount: part({ readOnly: flag, disableAccessTime: since(13, flag), secure: since(13, flag) }),
    trim: upkeep,
    scrub: upkeep,
  }),
  ExternalVolumeConfig: named(
    {
      filesystemType: text,
      mount: part({
        readOnly: flag,
        disableAccessTime: flag,
        secure: flag,
        virtiofs: struct({ tag: text }, { tag: "" }),
      }),
    },
    { filesystemType: "none" },
  ),
  ZswapConfig: single({ maxPoolPercent: flag, shrinkerEnabled: flag }),
  FilesystemTrimConfig: single({ interval: duration }),
  FilesystemScrubConfig: single({ interval: duration }),
  LVMVolumeGroupConfig: named({ provisioning: value({ volumeSelector: match }) }, { provisioning: {} }),
  LVMLogicalVolumeConfig: named(
    {
      type: text,
      mirrors: flag,
      stripes: flag,
      provisioning: value({ volumeGroup: text, minSize: atomic, maxSize: text }, { volumeGroup: "" }),
    },
    { type: "", provisioning: {} },
  ),
  RAIDArrayConfig: named(
    {
      level: text,
      metadata: text,
      provisioning: value({ volumeSelector: value({ match: atomic }) }, { volumeSelector: {} }),
    },
    { level: "", provisioning: {} },
  ),
};
