import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { replaceFile, writeYaml } from "../lib/index.ts";
import { bundleUnreadable, clusterNameUnsafe } from "./errors.ts";

/** How a cluster logs in to one Proxmox, in the words its cloud controller manager and storage driver read. */
export interface CloudAccount {
  url: string;
  insecure: boolean;
  token_id: string;
  token_secret: string;
  region: string;
}

/** Accounts in `<folder>/<cluster>/proxmox-account.yaml`, 0600. The file is the config those programs take as it is. */
export interface AccountStore {
  fileOf(cluster: string): string;
  find(cluster: string): Promise<CloudAccount[]>;
  /** Clusters that have one. */
  clusters(): Promise<string[]>;
  /** In place of the one with the same URL. */
  keep(cluster: string, account: CloudAccount): Promise<void>;
  drop(cluster: string, url: string): Promise<void>;
}

const fileName = "proxmox-account.yaml";

export function accountStore(folder: string): AccountStore {
  const fileOf = (cluster: string): string => {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(cluster)) throw clusterNameUnsafe({ cluster });
    return path.join(folder, cluster, fileName);
  };
  // Several Proxmox may be worked on at once, and they share one file.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  const find = async (cluster: string): Promise<CloudAccount[]> => readAccounts(fileOf(cluster));
  const write = async (cluster: string, accounts: CloudAccount[]): Promise<void> => {
    const file = fileOf(cluster);
    if (accounts.length === 0) return rm(file, { force: true });
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, writeYaml({ clusters: accounts.map((account) => ({ ...account })) }));
  };
  return {
    fileOf,
    find,
    async clusters() {
      const names = await readdir(folder).catch(() => []);
      const found = await Promise.all(
        names.map((name) =>
          stat(path.join(folder, name, fileName)).then(
            () => name,
            () => undefined,
          ),
        ),
      );
      return found.filter((name) => name !== undefined);
    },
    keep: (cluster, account) =>
      inTurn(async () => {
        const others = (await find(cluster)).filter((each) => each.url !== account.url);
        const all = [...others, account].toSorted((a, b) => a.url.localeCompare(b.url));
        await write(cluster, all);
      }),
    drop: (cluster, url) =>
      inTurn(async () =>
        write(
          cluster,
          (await find(cluster)).filter((each) => each.url !== url),
        ),
      ),
  };
}

async function readAccounts(file: string): Promise<CloudAccount[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw bundleUnreadable({ file, cause: error });
  }
  try {
    const { clusters = [] } = (parse(text) ?? {}) as { clusters?: Partial<CloudAccount>[] };
    return clusters.map(({ url = "", insecure = false, token_id = "", token_secret = "", region = "" }) => ({
      url,
      insecure,
      token_id,
      token_secret,
      region,
    }));
  } catch {
    // Whatever is wrong with it, its secrets must not get into a message; the token is made anew.
    return [];
  }
}
