import { readFileSync } from 'node:fs';
import { type ErrorCode, errorCodesOf, errorRegistry, type Operation } from '@arbiter/contract';
import type { TSchema } from 'typebox';
import { escapeHtml, prose, renderPage, type StaticPage } from '../answers/page.ts';
import { basePath } from '../web-paths.ts';
import { createExamples } from './docs-examples.ts';
import { describeOperation, methodLabel, type OperationContext } from './docs-operation.ts';
import { createSchemaTable, type RenderSchema, shapeId } from './docs-schema.ts';

export interface DocsOptions {
  readonly version: string;
  /** Public address. May have a path. */
  readonly serverUrl: string;
}

/**
 * Renders the operations for people: grouped by tag, searchable, linkable and runnable with a key. `document` is their
 * OpenAPI document. Yields between operations, because rendering all at once would block others too long.
 */
export function* docsPage(
  operations: readonly Operation[],
  document: unknown,
  options: DocsOptions,
): Generator<void, StaticPage> {
  const groups = [...Map.groupBy(operations, (operation) => operation.tag)];
  groups.sort(([a], [b]) => rankOf(a) - rankOf(b));
  const common = commonCodes(operations);
  const shapes = Object(at(document, 'components', 'schemas')) as Readonly<Record<string, TSchema>>;
  const table = createSchemaTable(shapes);
  const serverUrl = options.serverUrl.replace(/\/+$/, '');
  const context: OperationContext = {
    serverUrl,
    base: basePath(serverUrl),
    examples: createExamples(operations),
    table,
    shared: (operation, place) => sharedSchema(document, operation, place),
    common,
  };
  const navigation = groups
    .map(
      ([tag, found]) =>
        `<div class="tag"><h2>${escapeHtml(tag)}</h2><ul>${found.map(navigationItem).join('')}</ul></div>`,
    )
    .join('');
  let sections = '';
  for (const [tag, found] of groups) {
    sections += `<h2 id="${slug(tag)}">${escapeHtml(tag)}</h2><div class="group">`;
    for (const operation of found) {
      sections += describeOperation(operation, context);
      yield;
    }
    sections += '</div>';
  }
  const body =
    `<a class="skip" href="#main">Skip to the operations</a><div class="layout">` +
    `<nav aria-label="Operations"><a class="brand" href="#main">Arbiter</a>${searchBox}${navigation}</nav>` +
    `<main id="main"><div class="intro"><h1>Arbiter API</h1><p class="soft">${prose(introduction)}</p>` +
    `<p class="soft">Version ${escapeHtml(options.version)}. ${operations.length} operations. ` +
    `Also as <a href="${context.base}/api/openapi.json">OpenAPI 3.1</a>. <a href="${context.base}/docs/errors">Error codes</a>.</p>` +
    `<div class="copy"><pre><code>${escapeHtml(firstCall(serverUrl))}</code></pre></div></div>${keyForm}` +
    `${sections}${describeShapes(shapes, table)}${commonErrors(common, context.base)}</main></div>`;
  return renderPage({ title: 'Arbiter API', body, script: script() });
}

const introduction =
  'Send an API key as `Authorization: Bearer krn_...`. Every call that changes something needs the ' +
  'header `X-Requested-With`. Bodies are JSON in UTF-8. Unknown properties are ignored. With the ' +
  'header `Prefer: handling=strict`, which calls from this page send, they are an error.';

const firstCall = (serverUrl: string): string =>
  `export ARBITER_URL=${serverUrl}\nexport ARBITER_API_KEY=krn_...\ncurl "$ARBITER_URL/api/v1/health"`;

/** Hidden until the script runs, because it doesn't work without it. */
const searchBox =
  '<div class="search" role="search" data-script hidden><label class="unseen" for="find">Search operations</label>' +
  '<input id="find" type="search" placeholder="Search operations" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">' +
  '<kbd aria-hidden="true">/</kbd><p id="found" role="status"></p></div>';

const keyForm =
  '<section class="key" aria-label="API key" data-script hidden><label for="key">API key</label><div class="row">' +
  '<input id="key" type="password" placeholder="krn_..." autocomplete="off" spellcheck="false" aria-describedby="key-state">' +
  '<button id="forget" type="button" class="plain">Forget</button></div><p id="key-state" class="hint" role="status"></p></section>';

/** Returns the browser's script: two files joined into one module. */
function script(): string {
  const [request, page] = ['docs-request.js', 'docs-script.js'].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  );
  const whole = `${request?.replace(/^export /gm, '')}${page?.replace(/^import .*\n/gm, '')}`;
  // Drop comment lines: they're for people who edit the files.
  return whole.replace(/^ *(\/\/|\/?\*).*\n/gm, '').replace(/^ +/gm, '');
}

/** What readers look for comes first, operating the process last. */
function rankOf(tag: string): number {
  if (tag === 'Decisions') return 0;
  return tag === 'System' ? 2 : 1;
}

function navigationItem(operation: Operation): string {
  return `<li><a href="#${operation.id}">${methodLabel(operation)}<span class="title">${escapeHtml(operation.summary)}</span></a></li>`;
}

function slug(text: string): string {
  return `tag-${text.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}

/** Returns the document's value at a path of keys, or undefined. */
function at(document: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    document,
  );
}

function sharedSchema(document: unknown, { path, method }: Operation, place: 'body' | number): TSchema | null {
  const described = at(document, 'paths', path, method.toLowerCase());
  const content =
    place === 'body' ? at(described, 'requestBody', 'content') : at(described, 'responses', String(place), 'content');
  return (at(Object.values(Object(content))[0], 'schema') as TSchema | undefined) ?? null;
}

/** Describes shapes that several operations share, once. */
function describeShapes(shapes: Readonly<Record<string, TSchema>>, table: RenderSchema): string {
  const items = Object.entries(shapes).map(
    ([name, schema]) =>
      `<details class="op"><summary><span class="shape">${escapeHtml(name)}</span></summary>` +
      `<div class="inside" id="${shapeId(name)}">${table(schema)}</div></details>`,
  );
  return `<h2 id="shapes">Types</h2><div class="group">${items.join('')}</div>`;
}

/** Returns the codes that most operations share. */
function commonCodes(operations: readonly Operation[]): ReadonlySet<ErrorCode> {
  const counts = new Map<ErrorCode, number>();
  for (const code of operations.flatMap(errorCodesOf)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > operations.length / 2).map(([code]) => code));
}

function commonErrors(codes: ReadonlySet<ErrorCode>, base: string): string {
  const sorted = [...codes].sort((a, b) => errorRegistry[a].status - errorRegistry[b].status);
  const rows = sorted.map((code) => {
    const { status, title } = errorRegistry[code];
    return `<tr><td>${status}</td><td><a href="${base}/docs/errors#${code}"><code>${code}</code></a></td><td>${title}</td></tr>`;
  });
  return (
    '<div class="intro"><h2 id="errors">Errors of every call</h2><p class="soft">Which of them an ' +
    `operation returns depends on its credential, body and limits.</p><table>${rows.join('')}</table></div>`
  );
}
