import { expect, test } from "vitest";
import { readCloudInitStatus } from "./system.ts";

test("a finished one of cloud-init 22 has nothing to complain about", () => {
  const text = `status: done
boot_status_code: enabled-by-generator
last_update: Mon, 16 Nov 2026 04:36:06 +0000
detail:
DataSourceNoCloud [seed=/dev/sr0][dsmode=net]
`;
  expect(readCloudInitStatus(text)).toEqual({
    status: "done",
    detail: "DataSourceNoCloud [seed=/dev/sr0][dsmode=net]",
    complaints: [],
  });
});

test("cloud-init 22 puts what went wrong into its detail", () => {
  const text = `status: error
last_update: Mon, 16 Nov 2026 04:36:06 +0000
detail:
('package-update-upgrade-install', ProcessExecutionError("Unexpected error"))
`;
  expect(readCloudInitStatus(text).complaints).toEqual([
    `('package-update-upgrade-install', ProcessExecutionError("Unexpected error"))`,
  ]);
});

test("cloud-init 23 and later lists errors and what it got over", () => {
  const text = `status: done
extended_status: degraded done
boot_status_code: enabled-by-generator
detail: DataSourceNoCloud [seed=/dev/sr0]
errors: []
recoverable_errors:
WARNING:
\t- Failed at merging in cloud config part from p-01
\t- Unhandled non-multipart userdata
`;
  expect(readCloudInitStatus(text)).toMatchObject({
    status: "done",
    extended: "degraded done",
    complaints: ["Failed at merging in cloud config part from p-01", "Unhandled non-multipart userdata"],
  });
});

test("what cannot be read is unknown", () => {
  expect(readCloudInitStatus("")).toEqual({ status: "unknown", detail: "", complaints: [] });
});
