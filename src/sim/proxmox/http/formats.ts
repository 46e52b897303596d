import type { ApiAnswer } from "./dispatch.ts";

/** What goes over the wire besides status and reason. */
export interface Content {
  status: number;
  reason: string;
  text: string;
  type?: string;
  location?: string;
}

type Format = (answer: ApiAnswer) => Content;

/** One for every format that can stand behind `/api2/`; the path of any other is nobody's. */
const formats: Record<string, Format> = {
  json: (answer) => jsonOf(answer, answer.body),
  extjs: (answer) => ({ ...jsonOf(answer, asExtjs(answer)), ...saidInBody }),
  htmljs: (answer) => ({
    ...jsonOf(answer, asExtjs(answer)),
    ...saidInBody,
    text: escape(JSON.stringify(asExtjs(answer))),
    type: "text/html;charset=UTF-8",
  }),
  html: (answer) => ({ ...page(answer), type: "text/html;charset=UTF-8" }),
  png: (answer) => ({ status: answer.status, reason: answer.reason, text: "", type: "image/png" }),
  spiceconfig: (answer) => ({
    status: answer.status,
    reason: answer.reason,
    text: spiceLines(answer),
    type: "application/x-virt-viewer;charset=UTF-8",
  }),
};

export const formatOf = (name: string): Format | undefined =>
  Object.hasOwn(formats, name) ? formats[name] : undefined;

/** Who does not say who they are is sent to the log-in page, if they asked for pages; others get bare words. */
export const refusedIn = (format: string, { status, reason }: ApiAnswer): Content =>
  format === "html" && status === 401
    ? { status: 301, reason: "Moved", text: "", location: "/api2/html/access/ticket" }
    : { status, reason, text: "" };

const saidInBody = { status: 200, reason: "OK" };

const jsonOf = ({ status, reason }: ApiAnswer, value: unknown): Content => ({
  status,
  reason,
  text: JSON.stringify(value),
  type: "application/json;charset=UTF-8",
});

function asExtjs(answer: ApiAnswer): Record<string, unknown> {
  return answer.status === 200
    ? { ...answer.body, success: 1 }
    : {
        ...answer.body,
        success: 0,
        status: answer.body?.["errors"] === undefined ? answer.status : String(answer.status),
      };
}

function page({ status, reason, body }: ApiAnswer): Content {
  const problem = status === 200 ? "" : `<div class="alert">Error ${status}: ${escape(reason)}</div>`;
  const text = `<!DOCTYPE html>\n<html><body>${problem}<pre>${escape(JSON.stringify(body, null, 3))}</pre></body></html>`;
  return { status, reason, text };
}

function spiceLines({ body }: ApiAnswer): string {
  const data = body?.["data"];
  if (data === null || typeof data !== "object" || Array.isArray(data)) return "";
  return ["[virt-viewer]", ...Object.entries(data).map(([key, value]) => `${key}=${String(value)}`), ""].join(
    "\n",
  );
}

const entities: Record<string, string> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&#39;",
};
const escape = (text: string): string => text.replace(/[<>&"']/g, (sign) => entities[sign] ?? sign);
