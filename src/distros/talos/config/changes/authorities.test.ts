import { expect, test } from "vitest";
import { realRandom } from "../../../../lib/index.ts";
import { advanced, createBundle, createCa, type CaName } from "../../../../secrets/index.ts";
import { machineConfig, type MachineRole } from "../index.ts";
import {
  authoritiesIn,
  stageReached,
  stageWanted,
  withAuthority,
  withRunningAuthority,
} from "./authorities.ts";

const at = (now: number) => ({ clock: { now: () => now }, random: realRandom });
const settled = await createBundle({ ...at(Date.UTC(2026, 0, 1)), rsaBits: 1024 });

const intentOf = (contract: string, role: MachineRole) => ({
  contract,
  role,
  cluster: {
    name: "lab",
    endpoint: "https://10.8.0.9:6443",
    kubernetes: contract === "1.14" ? "1.37.0" : "1.35.4",
  },
});

const cases = ["1.12", "1.13", "1.14"].flatMap((contract) =>
  (["control-plane", "worker"] as const).flatMap((role) =>
    (["os", "kubernetes"] as const).map((ca): [string, MachineRole, CaName] => [contract, role, ca]),
  ),
);

test.each(cases)(
  "contract %s, a %s: every stage of the %s CA is written, read back and led to",
  async (contract, role, ca) => {
    const intent = intentOf(contract, role);
    const next = await createCa(ca, at(Date.UTC(2026, 1, 1)));
    let bundle = settled;
    let running = machineConfig(intent, settled);
    for (const stage of [1, 2, 3]) {
      const before = bundle;
      bundle = advanced(bundle, ca, next);
      expect(stageWanted(bundle, ca)).toBe(stage);
      expect(stageReached(authoritiesIn(running, ca), bundle, ca)).toBe(stage - 1);
      const rendered = machineConfig(intent, bundle);
      // A change of the file that comes meanwhile does not move the exchange on.
      expect(authoritiesIn(withRunningAuthority(rendered, running, ca), ca)).toEqual(
        authoritiesIn(running, ca),
      );
      running = withAuthority(running, bundle, ca, role === "control-plane");
      expect(JSON.parse(JSON.stringify(running))).toEqual(JSON.parse(JSON.stringify(rendered)));
      expect(stageReached(authoritiesIn(running, ca), bundle, ca)).toBe(stage);
      // Whoever has the secrets of the stage before sees a node that is further than they are.
      const reached = stageReached(authoritiesIn(running, ca), before, ca);
      expect(reached === undefined || stage === 1 || reached > stageWanted(before, ca)).toBe(true);
    }
  },
);

test("authorities that somebody accepts for reasons of his own stay", async () => {
  const other = await createCa("os", at(Date.UTC(2020, 0, 1)));
  const crt = Buffer.from(other.cert).toString("base64");
  const [main = {}, ...rest] = machineConfig(intentOf("1.13", "worker"), settled);
  const running = [{ ...main, machine: { ...(main["machine"] as object), acceptedCAs: [{ crt }] } }, ...rest];
  const bundle = advanced(settled, "os", await createCa("os", at(Date.UTC(2026, 1, 1))));
  const changed = withAuthority(running, bundle, "os", false);
  expect(authoritiesIn(changed, "os").accepted).toHaveLength(2);
  expect(authoritiesIn(changed, "os").accepted).toContain(other.cert);
});
