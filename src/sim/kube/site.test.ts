import { expect, test } from "vitest";
import { mappedNetwork } from "../network.ts";
import { siteOn } from "./site.ts";

test("machines that see the same network are of one site, and other networks are others", () => {
  const whole = mappedNetwork();
  expect(siteOn({ ...whole, whole })).toBe(siteOn(whole));
  expect(siteOn(mappedNetwork())).not.toBe(siteOn(whole));
});
