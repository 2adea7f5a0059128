/** Part of Vite's manifest: a module that others load, and its file. */
interface ManifestChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  /** Keys of the chunks loaded with it. */
  readonly imports?: readonly string[];
}

export type Manifest = Readonly<Record<string, ManifestChunk>>;

/** Sizes after gzip, in bytes. */
export interface Measured {
  /** Script of every first visit. */
  readonly shell: number;
  /** What each lazily loaded module adds to the shell, dependencies included, by source. */
  readonly routes: Readonly<Record<string, number>>;
}

/** Limits in bytes (docs/design/console.md 1, P3). A kilobyte is 1,000 bytes. */
export const budgets = { shell: 200_000, route: 120_000, canvas: 180_000 } as const;

/** Growth that requires an updated table: 2%, and for small routes the size of a line of code. */
const growth = { share: 0.02, bytes: 200 } as const;

/** @param sizeOf gzip bytes of a file of the build */
export function measure(manifest: Manifest, sizeOf: (file: string) => number): Measured {
  const filesOf = (key: string, seen = new Set<string>()): Set<string> => {
    const chunk = manifest[key];
    if (chunk === undefined || seen.has(chunk.file)) return seen;
    seen.add(chunk.file);
    for (const imported of chunk.imports ?? []) filesOf(imported, seen);
    return seen;
  };
  const sum = (files: Iterable<string>): number =>
    [...files].filter((file) => file.endsWith('.js')).reduce((total, file) => total + sizeOf(file), 0);
  const keys = Object.keys(manifest).sort();
  const shell = new Set(keys.filter((key) => manifest[key]?.isEntry === true).flatMap((key) => [...filesOf(key)]));
  const routes = keys
    .filter((key) => manifest[key]?.isDynamicEntry === true)
    .map((key): [string, number] => [key, sum([...filesOf(key)].filter((file) => !shell.has(file)))])
    // A lazily loaded module that the shell already contains adds nothing.
    .filter(([, bytes]) => bytes > 0);
  return { shell: sum(shell), routes: Object.fromEntries(routes) };
}

/** Returns figures that exceed their budget, have grown, or appear in only one of the two. */
export function compare(measured: Measured, known: Measured): string[] {
  const problems: string[] = [];
  const check = (name: string, bytes: number, before: number | undefined, budget: number): void => {
    if (bytes > budget) problems.push(`${name} has ${bytes} bytes, ${bytes - budget} over its budget of ${budget}`);
    const most = Math.max((before ?? 0) * (1 + growth.share), (before ?? 0) + growth.bytes);
    if (before === undefined) problems.push(`${name} is not in the table; ${remedy}`);
    else if (bytes > most) problems.push(`${name} grew from ${before} to ${bytes} bytes; ${remedy}`);
  };
  check('the shell', measured.shell, known.shell, budgets.shell);
  for (const [name, bytes] of Object.entries(measured.routes)) {
    check(name, bytes, known.routes[name], name.includes('canvas') ? budgets.canvas : budgets.route);
  }
  for (const name of Object.keys(known.routes)) {
    if (measured.routes[name] === undefined) problems.push(`${name} is in the table only; ${remedy}`);
  }
  return problems;
}

const remedy = '"npm run console:bytes -- --write" brings the table up to date';
