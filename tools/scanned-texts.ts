import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, ts } from './walls/parser.ts';

/** A text that a person may read, and its place. */
export interface ScannedText {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const root = join(import.meta.dirname, '..');

/** Files scanned for foreign phrases, relative to the repository's root. */
export const scannedFiles: readonly string[] = [
  'packages/contract/src/**/*.ts',
  'packages/engine/src/**/*.ts',
  'packages/lab/src/**/*.ts',
  'packages/packs/src/**/*.ts',
  'packages/server/src/**/*.ts',
  'packages/console/src/**/*.ts',
  'packages/console/src/**/*.tsx',
  'packages/cli/src/**/*.ts',
  'packages/sdk/src/**/*.ts',
  'packages/*/README.md',
  'docs/guides/*.md',
  'docs/adr/*.md',
  'docs/{architecture,config,glossary,lab-backtests,lab-proof}.md',
  'AGENTS.md',
  'README.md',
];

/** Tests and files that only tests import. */
const isTestFile = (file: string): boolean => /\.test\.tsx?$|(^|\/)test-[^/]*\.tsx?$/.test(file);

/** Returns the texts of all scanned files, without tests. */
export function scannedTexts(patterns: readonly string[] = scannedFiles): ScannedText[] {
  return globSync([...patterns], { cwd: root, exclude: (name) => name.endsWith('node_modules') })
    .filter((file) => !isTestFile(file))
    .sort()
    .flatMap((file) => textsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** Returns the comments and test titles of all code, tests included. */
export const scannedNotes = (): ScannedText[] =>
  globSync(['packages/*/{src,test}/**/*.{ts,tsx}', 'test/**/*.ts', 'tools/**/*.{ts,js}'], { cwd: root })
    .filter((file) => !quotesPhrases.has(file))
    .sort()
    .flatMap((file) => notesOf(file, readFileSync(join(root, file), 'utf8')));

/** Files that quote foreign phrases on purpose. */
const quotesPhrases: ReadonlySet<string> = new Set(['tools/foreign-phrases.ts', 'tools/words.test.ts']);

/** A comment with the lines that continue it. It follows space or punctuation; the slashes of a URL follow a colon. */
const comment = /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/.*(?:\n[ \t]*\/\/.*)*/gm;
const title = /(?<![\w.])(?:test|it|describe|suite)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;

/** Returns the comments of a file, and the titles of its tests. Searched, not parsed: the files are many. */
export function notesOf(file: string, source: string): ScannedText[] {
  const found = [
    ...[...source.matchAll(comment)].map(({ index, 0: text }) => ({
      index,
      text: text.replaceAll(/^[ \t]*(?:\/\/|\/?\*+\/?)/gm, ''),
    })),
    ...[...source.matchAll(title)].map(({ index, 2: text = '' }) => ({ index, text })),
  ];
  return found.map(({ index, text }) => ({
    file,
    line: source.slice(0, index).split('\n').length,
    text: joined(text),
  }));
}

/** Returns the texts of one file: of code, the string literals and the text between tags; of Markdown, the prose. */
export function textsOf(file: string, source: string): ScannedText[] {
  return file.endsWith('.md') ? proseOf(file, source) : literalsOf(file, source);
}

function literalsOf(file: string, source: string): ScannedText[] {
  const tree = parse(file, source);
  const texts: ScannedText[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    const text = textOf(node);
    if (text?.includes(' ')) {
      texts.push({ file, line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1, text: joined(text) });
    }
    if (!isChain(node)) ts.forEachChild(node, visit);
    else for (const part of chainOf(node)) ts.forEachChild(part, visit);
  };
  visit(tree);
  return texts;
}

/** Returns the details of errors (`new AppError(code, { detail })`) in a file. */
export function errorDetailsOf(file: string, source: string): ScannedText[] {
  const tree = parse(file, source);
  const found: ScannedText[] = [];
  const add = (value: ts.Expression): void => {
    const text = textOf(value);
    if (text !== undefined) {
      found.push({ file, line: tree.getLineAndCharacterOfPosition(value.getStart()).line + 1, text: joined(text) });
    } else if (ts.isConditionalExpression(value)) {
      add(value.whenTrue);
      add(value.whenFalse);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'AppError') {
      const options = node.arguments?.[1];
      if (options !== undefined && ts.isObjectLiteralExpression(options)) {
        for (const member of options.properties) {
          if (ts.isPropertyAssignment(member) && member.name.getText() === 'detail') add(member.initializer);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Returns the details of errors in all product files of the server. */
export const errorDetails = (): ScannedText[] =>
  globSync('packages/server/src/**/*.ts', { cwd: root })
    .filter((file) => !isTestFile(file))
    .sort()
    .flatMap((file) => errorDetailsOf(file, readFileSync(join(root, file), 'utf8')));

/** Returns the words of a literal. Interpolated values read as `${}`. A sentence split with `+` is one text. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `\${}${literal.text}`).join('');
  }
  return isChain(node) ? chainOf(node).map(textOf).join('') : undefined;
}

const isChain = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
  chainOf(node).every((part) => ts.isStringLiteralLike(part) || ts.isTemplateExpression(part));

const chainOf = (node: ts.Expression): ts.Expression[] =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
    ? [...chainOf(node.left), ...chainOf(node.right)]
    : [node];

/** Returns the paragraphs of a Markdown file without code, each as one text. */
function proseOf(file: string, source: string): ScannedText[] {
  const texts: ScannedText[] = [];
  let paragraph: string[] = [];
  let start = 1;
  let isCode = false;
  for (const [index, line] of [...source.split('\n'), ''].entries()) {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (!isFence && !isCode && line.trim() !== '') {
      if (paragraph.length === 0) start = index + 1;
      paragraph.push(line.replaceAll(/`[^`]*`/g, '``'));
      continue;
    }
    if (paragraph.length > 0) texts.push({ file, line: start, text: joined(paragraph.join(' ')) });
    paragraph = [];
    if (isFence) isCode = !isCode;
  }
  return texts;
}

const joined = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
