// Where the single executable begins. It holds the files of the package as they are: modules are loaded from inside it,
// each when it is first asked for, so that starting is as cheap as from the package.
"use strict";

const { getAsset, getRawAsset } = require("node:sea");

const argv = process.argv.slice(2);
const { version, exports: doors } = JSON.parse(getAsset("package.json", "utf8"));
/** No file of the computer is called so. */
const inside = "file:///slipway-executable/";

/** A fleet written as a program may import the library without having it installed. */
const doorOf = (specifier) => doors[specifier.replace(/^slipway\/?/, "./").replace(/\/$/, "")]?.default;

function resolve(specifier, context, next) {
  const isOurs = specifier.startsWith(inside) || (context.parentURL ?? "").startsWith(inside);
  if (isOurs && !specifier.startsWith("node:"))
    return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true };
  try {
    return next(specifier, context);
  } catch (thrown) {
    const door = /^slipway($|\/)/.test(specifier) && doorOf(specifier);
    if (!door) throw thrown;
    return { url: new URL(door, inside).href, format: "module", shortCircuit: true };
  }
}

function load(url, context, next) {
  if (!url.startsWith(inside)) return next(url, context);
  const source = Buffer.from(getRawAsset(url.slice(inside.length)));
  return { source, format: "module", shortCircuit: true };
}

if (argv[0] === "--version" || argv[0] === "-V") {
  process.stdout.write(`${version}\n`);
} else {
  require("node:module").registerHooks({ resolve, load });
  void import(`${inside}dist/cli/program.js`).then(({ main }) => main(argv));
}
