import { element, writeXml, type XmlPiece } from "../../../lib/index.ts";
import type { EventBody } from "../../../plan/index.ts";

type Check = Extract<EventBody, { type: "check" }>;

/** A checklist as CI systems read test results: a suite for each cluster, a case for each check. */
export function renderJunit(checks: readonly Check[], name = "slipway verify"): string {
  const clusters = [...new Set(checks.map(({ cluster }) => cluster ?? ""))];
  const suites = clusters.map((cluster) =>
    suite(
      cluster,
      checks.filter((check) => (check.cluster ?? "") === cluster),
    ),
  );
  const root = element("testsuites", { name, ...countsOf(checks) }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(root)}`;
}

const suite = (cluster: string, checks: readonly Check[]): XmlPiece =>
  element(
    "testsuite",
    { name: cluster, ...countsOf(checks) },
    checks.map((check) => testCase(cluster, check)),
  );

const countsOf = (checks: readonly Check[]) => ({
  tests: checks.length,
  failures: checks.filter(({ status }) => status === "failed").length,
  skipped: checks.filter(({ status }) => status === "skipped").length,
  time: seconds(checks.reduce((sum, { tookMs }) => sum + tookMs, 0)),
});

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function testCase(cluster: string, check: Check): XmlPiece {
  const { title, id, status, tookMs, error } = check;
  const evidence = evidenceOf(check);
  return element("testcase", { classname: `${cluster}.${id}`, name: title, time: seconds(tookMs) }, [
    status === "failed" &&
      element(
        "failure",
        { message: clean(check.found ?? error?.why ?? ""), type: error?.code ?? "because-of-another" },
        clean(error ? `${error.what}\nwhy: ${error.why}\nnext: ${error.next}` : evidence),
      ),
    status === "skipped" && element("skipped", { message: clean(check.because ?? check.found ?? "") }),
    evidence !== "" && element("system-out", {}, clean(evidence)),
  ]);
}

const evidenceOf = ({ needed, found, because, status }: Check): string =>
  [
    ...(needed === undefined ? [] : [`needed: ${needed}`]),
    ...(found === undefined ? [] : [`found: ${found}`]),
    ...(because === undefined ? [] : [`because: ${because}`]),
    ...(status === "warned" ? ["warning only"] : []),
  ].join("\n");

/** Control characters are not allowed in XML, and messages come from outside. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const clean = (text: string): string => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ");
