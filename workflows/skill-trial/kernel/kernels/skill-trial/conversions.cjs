// What tslab makes of a cell follows from the cell, the declarations of the cells before it, and the packages that both import. It is
// made once and kept below .cache/cells (decision 0041): a kernel that finds all its cells there never loads the TypeScript compiler.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const path = require('node:path');

const compiler = require.resolve('@tslab/typescript-for-tslab', { paths: [path.dirname(require.resolve('tslab/package.json'))] });
const converterFile = require.resolve('tslab/dist/converter.js');
const metadata = path.join(path.dirname(converterFile), 'metadata.js');
const closed = { close() {} };
// A file of a person's own can change at any time: what imports one is not kept.
const ownFile = /\b(?:from|import|require|reference)\b[\s(]*(?:path\s*=\s*)?['"`][./]|\breference\s+path\b/;

/** Where cells' imports are resolved. tslab does that from the current folder, so a data folder without packages of its own will not do. */
exports.findPackages = (asked) =>
  asked && existsSync(path.join(asked, 'node_modules', 'skill-trial')) ? asked : path.resolve(__dirname, '../../../../..');

/**
 * Makes tslab ask for kept conversions first. `still`: no file changes while the kernel runs, so none is watched.
 * `converted` is called with the maps of each cell (for `lineOfCell`). Returns `warm`, which
 * loads the compiler at once, for a person who will type cells that nobody has run yet, and `compiled`, which tells whether it was loaded.
 */
exports.keepConversions = (root, { still, converted = () => {} }) => {
  const loadCompiler = once(() => {
    delete require.cache[compiler];
    const real = require(compiler);
    require.cache[compiler] = stub;
    return real;
  });
  const createWatchCompilerHost = (files, options, ...rest) => {
    // Without `types` every package of @types is read, those of the tools that build the lab as well.
    const host = loadCompiler().createWatchCompilerHost(files, { ...options, types: ['node'], inlineSourceMap: true }, ...rest);
    const { watchFile, watchDirectory } = host;
    const fixed = (name) => name.includes('/node_modules/');
    const cells = new Set(files);
    // the cells themselves, and cells that are modules, are files that exist in memory alone: tslab says through their watchers what changed
    const inMemory = (name) => cells.has(name) || !existsSync(name);
    host.watchFile = (name, ...more) =>
      fixed(name) || (still && !inMemory(name)) ? closed : watchFile.call(host, name, ...more);
    host.watchDirectory = (name, ...more) => (still || fixed(`${name}/`) ? closed : watchDirectory.call(host, name, ...more));
    return host;
  };
  // tslab converts a cell twice, to JavaScript and then to CommonJS, and keeps no map of either: without them an error has no line.
  let maps = [];
  const transpileModule = (text, request) => {
    const [comment = '', inline] = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(text) ?? [];
    const compilerOptions = { ...request.compilerOptions, sourceMap: true };
    const made = loadCompiler().transpileModule(text.slice(0, text.length - comment.length), { ...request, compilerOptions });
    const first = inline === undefined ? [] : [mappings(Buffer.from(inline, 'base64').toString())];
    maps = [mappings(made.sourceMapText), ...first];
    return { ...made, outputText: made.outputText.replace(/\/\/# sourceMappingURL=\S+\s*$/, '') };
  };
  const own = { createWatchCompilerHost, transpileModule };
  // `__esModule` stops tslab from copying every property, which would load the compiler.
  const stub = moduleOf(
    compiler,
    new Proxy(
      { __esModule: true },
      {
        get: (_, key) => {
          if (key === '__esModule') return true;
          return own[key] ?? loadCompiler()[key];
        },
      },
    ),
  );
  require.cache[compiler] = stub;

  const loadConverter = once(() => {
    delete require.cache[converterFile];
    return require(converterFile);
  });
  const store = openStore(root);
  const createConverter = (options) => {
    const real = once(() => loadConverter().createConverter(options));
    // A cell that is a module (/** @module name */) changes what later imports mean.
    let modules = false;
    const converter = {
      convert(declarations, source) {
        const key = modules || options.isJS || options.isBrowser ? null : store.key(declarations, source);
        const kept = key === null ? null : store.read(key);
        if (kept !== null) {
          converted(kept.maps);
          return kept;
        }
        const made = { ...real().convert(declarations, source), maps };
        converted(made.maps);
        if (key !== null && made.diagnostics.length === 0 && made.sideOutputs === undefined) store.write(key, made);
        return made;
      },
      inspect: (...words) => real().inspect(...words),
      complete: (...words) => real().complete(...words),
      addModule(...words) {
        modules = true;
        return real().addModule(...words);
      },
      close: () => real.done() && real().close(),
      warm: () => real(),
    };
    made.push(converter);
    return converter;
  };
  const made = [];
  require.cache[converterFile] = moduleOf(converterFile, {
    createConverter,
    isCompleteCode: (code) => loadConverter().isCompleteCode(code),
  });

  // tslab looks for /** @module */ with the compiler's scanner; a cell without such a comment has none.
  const tags = require(metadata);
  const { getCodeMetadata } = tags;
  tags.getCodeMetadata = (source) => (/\/\*\*[\s\S]*@/.test(source) ? getCodeMetadata(source) : {});
  return { createConverter, warm: () => made[0]?.warm(), compiled: loadCompiler.done };
};

/** Conversions below .cache/cells, in a folder for each state of the packages. */
function openStore(root) {
  const packages = stateOfPackages(root);
  const folder = path.join(root, '.cache/cells', String(packages));
  return {
    /** Null: the conversion is not to be kept. */
    key: (declarations, source) =>
      packages === null || ownFile.test(declarations) || ownFile.test(source)
        ? null
        : createHash('sha256')
            .update(JSON.stringify([declarations, source]))
            .digest('hex'),
    read(key) {
      try {
        return { ...JSON.parse(readFileSync(path.join(folder, `${key}.json`), 'utf8')), diagnostics: [] };
      } catch {
        return null; // not made yet, or not readable: made again
      }
    },
    write(key, { output, declOutput, hasToplevelAwait, lastExpressionVar, maps }) {
      mkdirSync(folder, { recursive: true });
      const draft = path.join(folder, `${key}.${process.pid}.tmp`);
      writeFileSync(draft, JSON.stringify({ output, declOutput, hasToplevelAwait, lastExpressionVar, maps }));
      renameSync(draft, path.join(folder, `${key}.json`));
    },
    /** Removes what was kept for other states of the packages. */
    tidy() {
      const all = path.join(root, '.cache/cells');
      if (!existsSync(all)) return;
      for (const name of readdirSync(all)) if (name !== packages) rmSync(path.join(all, name), { recursive: true, force: true });
    },
  };
}
exports.openStore = openStore;

const mappings = (map) => JSON.parse(map).mappings;

/** The line of a cell that a place in what was made of it comes from, from 1; null: none. Lines and columns from 1. */
exports.lineOfCell = (maps, line, column) => {
  let at = { originalLine: line - 1, originalColumn: column - 1 };
  for (const one of maps) {
    const map = new SourceMap({ version: 3, sources: ['cell'], names: [], mappings: one });
    at = map.findEntry(at.originalLine, at.originalColumn);
    if (at.originalLine === undefined) return null;
  }
  // tslab puts a line of its own before each cell
  return at.originalLine < 1 ? null : at.originalLine;
};

/** A hash of everything beside the cells that a conversion follows from: installed versions, the workspace's declarations, Node's generation. */
function stateOfPackages(root) {
  const lock = path.join(root, 'package-lock.json');
  if (!existsSync(lock)) return null;
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  const add = (file) =>
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  for (const file of [lock, __filename]) add(file);
  const workflows = path.join(root, 'workflows');
  for (const name of readdirSync(workflows).sort()) {
    const dist = path.join(workflows, name, 'dist');
    if (!existsSync(dist)) continue;
    for (const file of readdirSync(dist, { recursive: true }).sort()) if (file.endsWith('.d.ts')) add(path.join(dist, file));
  }
  return hash.digest('hex').slice(0, 16);
}

function moduleOf(id, content) {
  return { id, filename: id, loaded: true, exports: content, children: [], paths: [] };
}

function once(make) {
  let value;
  const get = () => {
    value ??= make();
    return value;
  };
  get.done = () => value !== undefined;
  return get;
}
