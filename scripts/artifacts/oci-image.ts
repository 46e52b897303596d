import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { writeTar, type TarFile } from "../../src/lib/index.ts";
import { debianFiles, type DebianArchitecture } from "./debian-files.ts";

/** What an image is made of. */
export interface ImageParts {
  architecture: DebianArchitecture;
  executable: Buffer;
  /** Licences and the like, by their place in the image. */
  documents: TarFile[];
}

export interface ImageLabels {
  version: string;
  commit: string | undefined;
  /** ISO 8601: the time of the commit, so that the same commit gives the same image. */
  created: string;
}

interface Blob {
  digest: string;
  bytes: Buffer;
}

interface Layer {
  /** What it is known by unpacked. */
  diffId: string;
  packed: Buffer;
}

const user = "65532:65532";

/** An image for several processors as one file, in the layout of the Open Container Initiative: nothing but bytes. */
export async function ociArchive(
  images: readonly ImageParts[],
  labels: ImageLabels,
  cache: string,
): Promise<Buffer> {
  const blobs: Blob[] = [];
  const keep = (bytes: Buffer): Blob => {
    const blob = { digest: sha256(bytes), bytes };
    blobs.push(blob);
    return blob;
  };
  const layers = await Promise.all(images.map((image) => layersOf(image, cache)));
  const manifests = images.map(({ architecture }, at) => ({
    ...manifestOf(architecture, layers[at] ?? [], labels, keep),
    platform: { architecture, os: "linux" },
  }));
  const named = { "org.opencontainers.image.ref.name": labels.version };
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests,
  };
  const whole = describe("application/vnd.oci.image.index.v1+json", keep(json(index)));
  return writeTar([
    { name: "oci-layout", bytes: json({ imageLayoutVersion: "1.0.0" }) },
    { name: "index.json", bytes: json({ ...index, manifests: [{ ...whole, annotations: named }] }) },
    ...blobs.map(({ digest, bytes }) => ({ name: `blobs/${digest.replace(":", "/")}`, bytes })),
  ]);
}

/** Packed side by side: it is most of the work. */
const layersOf = (image: ImageParts, cache: string): Promise<Layer[]> =>
  Promise.all(
    [systemLayer(debianFiles(image.architecture, cache)), programLayer(image)].map(async (tar) => ({
      diffId: sha256(tar),
      packed: await promisify(gzip)(tar),
    })),
  );

function manifestOf(
  architecture: DebianArchitecture,
  layers: readonly Layer[],
  labels: ImageLabels,
  keep: (bytes: Buffer) => Blob,
) {
  const config = {
    created: labels.created,
    architecture,
    os: "linux",
    config: {
      User: user,
      Env: ["PATH=/usr/bin", "HOME=/home/slipway", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
      Entrypoint: ["/usr/bin/slipway"],
      Cmd: ["--help"],
      WorkingDir: "/work",
      Labels: {
        "org.opencontainers.image.title": "slipway",
        "org.opencontainers.image.version": labels.version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        ...(labels.commit === undefined ? {} : { "org.opencontainers.image.revision": labels.commit }),
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: [
      { created: labels.created, comment: "libraries and certificates of Debian" },
      { created: labels.created, comment: `slipway ${labels.version}` },
    ],
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: describe("application/vnd.oci.image.config.v1+json", keep(json(config))),
    layers: layers.map(({ packed }) => describe("application/vnd.oci.image.layer.v1.tar+gzip", keep(packed))),
  };
  return describe("application/vnd.oci.image.manifest.v1+json", keep(json(manifest)));
}

/** Whoever it runs as, its home, the folder it works in and /tmp can be written. */
function systemLayer(files: readonly TarFile[]): Buffer {
  const text = (name: string, content: string): TarFile => ({ name, bytes: Buffer.from(content) });
  return layer([
    ...files,
    text("etc/passwd", "root:x:0:0::/root:/bin/false\nslipway:x:65532:65532::/home/slipway:/bin/false\n"),
    text("etc/group", "root:x:0:\nslipway:x:65532:\n"),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
    ...["tmp/", "work/", "home/slipway/"].map((name) => ({ name, bytes: Buffer.alloc(0), mode: 0o1777 })),
  ]);
}

const programLayer = ({ executable, documents }: ImageParts): Buffer =>
  layer([{ name: "usr/bin/slipway", bytes: executable, mode: 0o755 }, ...documents]);

/** An archive in which every folder stands before what is in it. */
function layer(files: readonly TarFile[]): Buffer {
  const given = new Set(files.map(({ name }) => name));
  const folders = new Set(files.flatMap(({ name }) => foldersAbove(name)));
  const implied = [...folders]
    .filter((name) => !given.has(name))
    .map((name) => ({ name, bytes: Buffer.alloc(0), mode: 0o755 }));
  return writeTar([...implied, ...files].toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/** `usr/` and `usr/bin/` of `usr/bin/slipway`. */
function foldersAbove(name: string): string[] {
  const parts = name.replace(/\/$/, "").split("/").slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}

const describe = (mediaType: string, { digest, bytes }: Blob) => ({ mediaType, digest, size: bytes.length });

const sha256 = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
