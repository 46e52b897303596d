import { endpoints, type Endpoint, type EndpointTable } from "../../../clients/proxmox/endpoints/index.ts";
import { furtherEndpoints } from "../gen/further-endpoints.ts";

export interface Route {
  call: string;
  endpoint: Endpoint;
  pathParams: Record<string, string>;
}

interface Template {
  call: string;
  endpoint: Endpoint;
  method: string;
  segments: string[];
}

const all: EndpointTable = { ...endpoints, ...furtherEndpoints };

const templates: Template[] = Object.entries(all)
  .map(([call, endpoint]) => {
    const [method = "", path = ""] = call.split(" ");
    return { call, endpoint, method, segments: path.split("/").filter((part) => part !== "") };
  })
  .toSorted((a, b) => placeholders(a) - placeholders(b));

function placeholders(template: Template): number {
  return template.segments.filter((segment) => segment.startsWith("{")).length;
}

/** Finds the call behind a method and an undecoded path, served here or not; undefined when the version has none. */
export function findRoute(method: string, path: string, version: 8 | 9): Route | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  for (const template of templates) {
    if (template.method !== method) continue;
    const { call, endpoint } = template;
    if ((endpoint.since ?? 8) > version || (endpoint.until ?? 9) < version) continue;
    const pathParams = match(template.segments, parts);
    if (pathParams) return { call, endpoint, pathParams };
  }
  return undefined;
}

/** `{name}` takes one segment; a volume id may go on with slashes. */
function match(segments: string[], parts: string[]): Record<string, string> | undefined {
  const isOpenEnded = segments.at(-1) === "{volume}";
  if (isOpenEnded ? parts.length < segments.length : parts.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? "";
    if (!segment.startsWith("{")) {
      if (segment !== part) return undefined;
      continue;
    }
    const rest = isOpenEnded && index === segments.length - 1 ? parts.slice(index).join("/") : part;
    const value = decodePath(rest);
    if (value.trim() === "") return undefined;
    params[segment.slice(1, -1)] = value;
  }
  return params;
}

/** As it reads; where it cannot be decoded, as it came. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
