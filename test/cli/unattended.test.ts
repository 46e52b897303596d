import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { simSite, type Finished } from "../support/sim/sim-site.ts";

test(
  "nobody at the keyboard: no question is waited for, and exit codes are as the guide says",
  { timeout: 600_000 },
  async () => {
    await using site = await simSite({ net: "127.42.15", workers: 0 });
    const machines = () => Object.keys(site.datacenter.proxmox.state().vms);
    const until = ["--until", "machines"];
    const endOf = ({ code, events }: Finished) => {
      const last = events.at(-1);
      const { exitCode, outcome, error } = last?.type === "done" ? last : {};
      expect(exitCode, "the last event says what the program ends with").toBe(code);
      return [code, outcome, error?.code];
    };
    const ends = async (...args: string[]) => endOf(await site.type([...args, "--json"]));
    // Where a question would be asked, in a process without a terminal.
    const endsAlone = async (...args: string[]) => endOf(await site.run([...args, "--json"]));

    expect((await site.type(["plan", ...until, "--exit-code"])).code, "something to do").toBe(3);
    expect(await ends("up", ...until), "what only adds needs no word").toEqual([0, "done", undefined]);
    expect((await site.type(["plan", ...until, "--exit-code"])).code, "nothing to do").toBe(0);
    expect(await ends("up", ...until)).toEqual([0, "unchanged", undefined]);

    const text = await readFile(site.file, "utf8");
    await writeFile(site.file, text.replace("cores: 2", "cores: 4"));
    expect(await endsAlone("up", ...until), "a reboot needs a word").toEqual([
      2,
      "refused",
      "RUN_NOT_CONFIRMED",
    ]);
    expect(await endsAlone("down"), "and so does an end").toEqual([2, "refused", "RUN_NOT_CONFIRMED"]);
    expect(machines(), "nothing was changed, and no lock is left").toEqual(["2000"]);

    await writeFile(site.file, text.replace("version: 1", "version: one"));
    expect((await site.type(["up", "--yes"])).code, "the file is wrong").toBe(2);
    await writeFile(site.file, text);
    const locked = await site.type(["up", ...until, "--yes"], { PVE_TOKEN: "wrong-token-of-nobody" });
    expect([locked.code, locked.stderr], "the world is wrong").toEqual([
      1,
      expect.not.stringContaining("wrong-token-of-nobody"),
    ]);
    expect(await ends("down", "--yes")).toEqual([0, "done", undefined]);
    expect(machines()).toEqual([]);
  },
);
