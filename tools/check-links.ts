import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

/**
 * `npm run check:links`: checks that every link in this repository leads somewhere.
 * - Links of Markdown files lead to existing files and headings.
 * - Citations of design pages, in code and Markdown, read `docs/design/<page>.md <section>`, and the page has that
 * section.
 * - Package READMEs mention only functions and components that product code imports, and existing source files.
 * - AGENTS.md names only files that exist, apart from those that its recipes write.
 * - The published API document cites nothing outside itself, because its readers don't have this repository.
 */

const root = join(import.meta.dirname, '..');
const pages =
  'api-access|api-catalogue|api-decisioning|api-settled|architecture|console|decisioning|quality|recording|stack';
const citation = new RegExp(`(?<![\\w./-])((?:docs/)?(?:design/)?)(${pages})\\.md(?: ([A-Z]?\\d+(?:\\.\\d+)*))?`, 'g');

/** A broken link: file, line (from 1) and reason. */
interface Problem {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

const texts = new Map<string, string | null>();
function read(file: string): string | null {
  let text = texts.get(file);
  if (text === undefined) {
    text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null;
    texts.set(file, text);
  }
  return text;
}

/** Returns the anchor that GitHub derives from a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading!);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`);
  }
  return anchors;
}

/** Returns broken links of one Markdown file, ignoring code spans and blocks. */
function brokenLinks(file: string, text: string): Problem[] {
  const problems: Problem[] = [];
  let inBlock = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) inBlock = !inBlock;
    if (inBlock) continue;
    for (const [, target] of line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target!)) continue;
      const [path, anchor] = target!.split('#');
      const to = path === '' ? file : posix.normalize(posix.join(dirname(file), path!));
      if (!existsSync(join(root, to))) problems.push({ file, line: index + 1, what: `${to} does not exist` });
      else if (anchor !== undefined && to.endsWith('.md') && !anchorsOf(read(to)!).has(anchor)) {
        problems.push({ file, line: index + 1, what: `${to} has no heading #${anchor}` });
      }
    }
  }
  return problems;
}

/** True if the page has the section: a heading `5.3`, point 4 below heading 1 (`1.4`), a row or paragraph `T8`. */
function hasSection(page: string, section: string): boolean {
  if (/^[A-Z]/.test(section)) return new RegExp(`(^|[\\s|*(,])${section}\\b`, 'm').test(page);
  const escaped = section.replaceAll('.', '\\.');
  if (new RegExp(`^(#{2,4} )?${escaped}\\.? `, 'm').test(page)) return true;
  const dot = section.lastIndexOf('.');
  if (dot < 0) return false;
  const [above, point] = [section.slice(0, dot).replaceAll('.', '\\.'), section.slice(dot + 1)];
  const below = page.split(new RegExp(`^#{2,4} ${above}\\.? .*$`, 'm'))[1]?.split(/^#{2,3} /m)[0];
  return below !== undefined && new RegExp(`^${point}\\. `, 'm').test(below);
}

/** Returns citations in one file of design pages or sections that don't exist. */
function brokenCitations(file: string, text: string): Problem[] {
  const problems: Problem[] = [];
  const add = (index: number, what: string) =>
    problems.push({ file, line: text.slice(0, index).split('\n').length, what });
  for (const { index, 1: folder, 2: name, 3: section } of text.matchAll(citation)) {
    if (folder !== 'docs/design/') {
      // `architecture.md` alone means the page in docs/.
      if (name !== 'architecture' || section !== undefined) add(index, `write docs/design/${name}.md`);
      continue;
    }
    const page = read(`docs/design/${name}.md`);
    if (page === null) add(index, `docs/design/${name}.md does not exist`);
    else if (section !== undefined && !hasSection(page, section)) {
      add(index, `docs/design/${name}.md has no section ${section}`);
    }
  }
  return problems;
}

function files(pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', 'data/**', '**/dist/**'] }).map((file) =>
    relative('.', file).replaceAll('\\', '/'),
  );
}

const imports = /^(?:import|export) (?:type )?(?:(\w+),? ?)?(?:\{([^}]*)\})? ?from '/gm;

/** Returns the names that a package's product code imports. */
function importedNames(folder: string): Set<string> {
  const names = new Set<string>();
  for (const file of files(`${folder}/src/**/*.{ts,tsx}`)) {
    if (/\.test\.ts$|\/test-[^/]+\.ts$/.test(file)) continue;
    for (const [, whole, some = ''] of read(file)!.matchAll(imports)) {
      if (whole !== undefined) names.add(whole);
      for (const part of some.split(','))
        names.add(
          part
            .replace(/^\s*type /, '')
            .split(' as ')[0]!
            .trim(),
        );
    }
  }
  return names;
}

/**
 * Returns calls (`name(`), components (`<Name`) and source files in a README's code spans that product code doesn't
 * have.
 */
function unknownNames(file: string, text: string): Problem[] {
  const folder = dirname(file);
  const names = importedNames(folder);
  const problems: Problem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const add = (what: string) => problems.push({ file, line: index + 1, what });
    for (const [, span = ''] of line.matchAll(/`([^`]+)`/g)) {
      for (const [, component, call] of span.matchAll(/<([A-Z]\w*)|(?<![\w.])([a-z]\w*)\(/g)) {
        const name = component ?? call!;
        if (name !== 'import' && !names.has(name)) add(`no product code imports ${name}`);
      }
      const isSource = /^[\w-]+\/[\w/-]+\.tsx?$/.test(span);
      const isThere = ['', `${folder}/`, `${folder}/src/`].some((above) => existsSync(join(root, above, span)));
      if (isSource && !isThere) add(`${span} does not exist`);
    }
  }
  return problems;
}

/** Files that a recipe adds, by a word in their path. */
const added = /<|\*|quiet-days|sample|gaussian/;

/** Returns files named in AGENTS.md that don't exist. A path may leave out the folders that its recipe is about. */
function missingFiles(file: string, text: string): Problem[] {
  const existing = files('{packages,test,tools,docs}/**/*.{ts,tsx,js,json,md}').map((path) => `/${path}`);
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`([\w./<>*-]+\.(?:tsx?|js|json|md))`/g)]
      .map(([, path = '']) => path)
      .filter((path) => path.includes('/') && !added.test(path) && !existing.some((each) => each.endsWith(`/${path}`)))
      .map((path) => ({ file, line: index + 1, what: `${path} does not exist` })),
  );
}

const problems: Problem[] = [];
const markdown = files('**/*.md');
for (const file of markdown) {
  problems.push(...brokenLinks(file, read(file)!));
  if (file === 'AGENTS.md') problems.push(...missingFiles(file, read(file)!));
  if (/^packages\/[^/]+\/README\.md$/.test(file)) problems.push(...unknownNames(file, read(file)!));
  if (!file.startsWith('docs/design/')) {
    problems.push(
      ...brokenCitations(
        file,
        read(file)!.replace(/\]\([^)]*\)/g, (link) => ' '.repeat(link.length)),
      ),
    );
  }
}
const code = [...files('{packages,test,tools}/**/*.{ts,js,sql,tsx}'), ...files('packages/**/*.json')];
for (const file of code) {
  if (file !== 'tools/check-links.ts') problems.push(...brokenCitations(file, read(file)!));
}
const published = files('docs/api/**/*.json');
for (const file of published) {
  for (const { index, 0: found } of read(file)!.matchAll(new RegExp(`(${pages})\\.md|\\bP[12] \\d`, 'g'))) {
    problems.push({ file, line: read(file)!.slice(0, index).split('\n').length, what: `cites ${found}` });
  }
}

for (const { file, line, what } of problems) console.error(`links: ${file}:${line}: ${what}`);
console.log(`links: ${markdown.length + code.length + published.length} files, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
