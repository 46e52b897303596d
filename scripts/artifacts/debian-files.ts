import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readTar, type TarFile } from "../../src/lib/index.ts";

const packages = ["libc6", "libgcc-s1", "libstdc++6", "ca-certificates"] as const;
/** What Node asks for, by the name it asks by; Debian keeps some of them under a longer one. */
const libraries = [
  "libc.so.6",
  "libm.so.6",
  "libdl.so.2",
  "libpthread.so.0",
  "libgcc_s.so.1",
  "libstdc++.so.6",
];

const debian = {
  amd64: { triplet: "x86_64-linux-gnu", loader: "ld-linux-x86-64.so.2", loaderFolder: "lib64" },
  arm64: { triplet: "aarch64-linux-gnu", loader: "ld-linux-aarch64.so.1", loaderFolder: "lib" },
} as const;

export type DebianArchitecture = keyof typeof debian;

/** The few files of Debian that the executable needs around it, from the packages that the machine's apt knows. */
export function debianFiles(architecture: DebianArchitecture, cache: string): TarFile[] {
  const { triplet, loader, loaderFolder } = debian[architecture];
  const files = fetchPackages(architecture, cache).flatMap((file) => filesOf(file));
  const find = (name: string): Buffer => {
    const found = files.find((file) => {
      const { dir, base } = path.posix.parse(file.name);
      return dir.endsWith(`lib/${triplet}`) && (base === name || base.startsWith(`${name}.`));
    });
    if (!found) throw new Error(`no ${name} in ${packages.join(", ")} of Debian for ${architecture}`);
    return found.bytes;
  };
  const roots = files.filter(({ name }) => /^\.\/usr\/share\/ca-certificates\/.*\.crt$/.test(name));
  const notices = files.filter(({ name }) => /^\.\/usr\/share\/doc\/[^/]+\/copyright$/.test(name));
  return [
    ...libraries.map((name) => ({ name: `lib/${triplet}/${name}`, bytes: find(name), mode: 0o755 })),
    { name: `${loaderFolder}/${loader}`, bytes: find(loader), mode: 0o755 },
    {
      name: "etc/ssl/certs/ca-certificates.crt",
      bytes: Buffer.concat(roots.map(({ bytes }) => bytes)),
    },
    ...notices.map(({ name, bytes }) => ({ name: name.slice(2), bytes })),
  ];
}

/** Once into the cache, with settings of its own: neither root nor the machine's list of architectures is touched. */
function fetchPackages(architecture: DebianArchitecture, cache: string): string[] {
  const folder = path.join(cache, `debian-${architecture}`);
  const state = path.join(folder, "apt");
  mkdirSync(path.join(state, "lists/partial"), { recursive: true });
  mkdirSync(path.join(state, "archives/partial"), { recursive: true });
  const found = () => readdirSync(folder).filter((name) => name.endsWith(".deb"));
  if (found().length <= packages.length) {
    writeFileSync(path.join(state, "status"), "");
    const options = {
      "APT::Architecture": architecture,
      "APT::Architectures": architecture,
      "APT::Sandbox::User": "",
      "Dir::State": state,
      "Dir::State::lists": path.join(state, "lists"),
      "Dir::State::status": path.join(state, "status"),
      "Dir::Cache": state,
      "Debug::NoLocking": "true",
    };
    const given = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    const apt = (...args: string[]) =>
      execFileSync("apt-get", ["-qq", ...given, ...args], {
        cwd: folder,
        stdio: ["ignore", "ignore", "inherit"],
      });
    apt("update");
    apt("download", ...packages);
    // The licence of both libraries of GCC lies in a package that is named after its version.
    const [gcc = ""] = found().filter((name) => name.startsWith("libgcc-s1"));
    const depends = execFileSync("dpkg-deb", ["--field", path.join(folder, gcc), "Depends"], {
      encoding: "utf8",
    });
    apt("download", ...(depends.match(/gcc-\d+-base/) ?? []));
  }
  return found().map((name) => path.join(folder, name));
}

const filesOf = (deb: string): TarFile[] => [
  ...readTar(execFileSync("dpkg-deb", ["--fsys-tarfile", deb], { maxBuffer: 2 ** 28 })),
];
