import {
  type ErrorCode,
  errorCodesOf,
  errorRegistry,
  isSecret,
  isSignature,
  needsRequestedWith,
  type Operation,
} from '@arbiter/contract';
import type { TSchema } from 'typebox';
import { exampleOf, schemaTable } from './docs-schema.ts';
import { escapeHtml, type Page, prose, renderPage } from './page.ts';

export interface DocsOptions {
  readonly version: string;
  readonly serverUrl: string;
}

/** The operations for people: grouped by tag, each with its input, answers, error codes and a call to copy. */
export function docsPage(operations: readonly Operation[], options: DocsOptions): Page {
  const groups = [...Map.groupBy(operations, (operation) => operation.tag)];
  groups.sort(([a], [b]) => rankOf(a) - rankOf(b));
  const navigation = groups
    .map(([tag, found]) => `<h2>${escapeHtml(tag)}</h2><ul>${found.map(navigationItem).join('')}</ul>`)
    .join('');
  const sections = groups
    .map(([tag, found]) => {
      const items = found.map((operation) => describeOperation(operation, options)).join('');
      return `<h2 id="${slug(tag)}">${escapeHtml(tag)}</h2><div class="group">${items}</div>`;
    })
    .join('');
  return renderPage(
    'Arbiter API',
    `<div class="layout"><nav><a class="brand" href="#top">Arbiter</a>${navigation}</nav>` +
      `<main id="top"><h1>Arbiter API</h1><p class="lead">${prose(introduction)}</p>` +
      `<p class="lead">Version ${escapeHtml(options.version)}. ${operations.length} operations. ` +
      `Also as <a href="/api/openapi.json">OpenAPI 3.1</a>. <a href="/docs/errors">Error codes</a>.</p>` +
      `<pre><code>${escapeHtml(firstCall(options))}</code></pre>${sections}</main></div>`,
  );
}

const introduction =
  'Send an API key as `Authorization: Bearer krn_...`. Every call that changes something carries the header ' +
  '`X-Requested-With`. Bodies are JSON in UTF-8; properties that an operation does not declare are ignored.';

const firstCall = ({ serverUrl }: DocsOptions): string =>
  `export ARBITER_URL=${serverUrl}\nexport ARBITER_API_KEY=krn_...\ncurl "$ARBITER_URL/api/v1/health"`;

/** What a reader comes for stands first, what runs the process last. */
function rankOf(tag: string): number {
  if (tag === 'Decisions') return 0;
  return tag === 'System' ? 2 : 1;
}

function navigationItem(operation: Operation): string {
  return `<li><a href="#${operation.id}">${methodLabel(operation)}<span class="name">${escapeHtml(operation.summary)}</span></a></li>`;
}

function methodLabel({ method }: Operation): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function slug(text: string): string {
  return `tag-${text.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}

function describeOperation(operation: Operation, options: DocsOptions): string {
  const badges = [accessOf(operation), ...(operation.idempotent === true ? ['idempotency key'] : [])];
  const parts = [
    operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`,
    aliasesOf(operation),
    limitsOf(operation),
    parameters('Path', operation.params),
    parameters('Query', operation.query),
    parameters('Headers', operation.headers),
    operation.body === undefined ? '' : `<h4>Body</h4>${schemaTable(operation.body)}`,
    `<h4>Call</h4><pre><code>${escapeHtml(curlOf(operation, options))}</code></pre>`,
    `<h4>Answers</h4>${Object.entries(operation.responses).map(describeAnswer).join('')}`,
    `<h4>Errors</h4>${errorsOf(operation)}`,
  ];
  return (
    // The id is inside, so that a link to it opens the operation.
    `<details class="op"><summary>${methodLabel(operation)}` +
    `<span class="path">${escapeHtml(operation.path)}</span>` +
    `<span class="what">${prose(operation.summary)}</span>` +
    `<span class="tags">${badges.map((badge) => `<span class="badge">${escapeHtml(badge)}</span>`).join('')}</span></summary><div class="inside" id="${operation.id}">${parts.join('')}</div></details>`
  );
}

function accessOf(operation: Operation): string {
  if (operation.auth === 'none') return 'open';
  if (isSecret(operation.auth)) return operation.auth.variables[0];
  if (isSignature(operation.auth)) return 'signature';
  return operation.role ?? (operation.auth === 'scim' ? 'scope scim' : 'any role');
}

function aliasesOf({ aliases }: Operation): string {
  if (aliases === undefined || aliases.length === 0) return '';
  return `<p class="lead">Also at ${aliases.map((path) => `<code>${escapeHtml(path)}</code>`).join(', ')}.</p>`;
}

function limitsOf({ rateLimits = [] }: Operation): string {
  return rateLimits
    .map((rule) => `<p>At most ${rule.limit} calls in ${rule.windowSeconds} seconds per ${rule.per}.</p>`)
    .join('');
}

function parameters(title: string, schema: TSchema | undefined): string {
  return schema === undefined ? '' : `<h4>${title}</h4>${schemaTable(schema)}`;
}

function describeAnswer([status, response]: [string, Operation['responses'][number]]): string {
  const heading = `<p><code>${status}</code> ${prose(response.description)}</p>`;
  if (response.schema === null) return heading;
  if (response.mediaType !== undefined) return `${heading}<p class="lead">${escapeHtml(response.mediaType)}</p>`;
  return `${heading}<details class="more"><summary>Shape of the answer</summary>${schemaTable(response.schema)}</details>`;
}

function errorsOf(operation: Operation): string {
  const byStatus = Map.groupBy(errorCodesOf(operation), (code) => errorRegistry[code].status);
  const link = (code: ErrorCode) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`;
  const rows = [...byStatus].sort(([a], [b]) => a - b);
  const cells = rows.map(
    ([status, codes]) => `<tr><td>${status}</td><td><span class="codes">${codes.map(link).join('')}</span></td></tr>`,
  );
  return `<table>${cells.join('')}</table>`;
}

function curlOf(operation: Operation, { serverUrl }: DocsOptions): string {
  const params = operation.params === undefined ? {} : exampleOf(operation.params);
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(Reflect.get(Object(params), name) ?? name)),
  );
  const lines = [`curl ${operation.method === 'GET' ? '' : `-X ${operation.method} `}"${serverUrl}${path}"`];
  if (operation.auth === 'credential') lines.push(`-H "Authorization: Bearer $ARBITER_API_KEY"`);
  if (isSecret(operation.auth)) lines.push(`-H "Authorization: Bearer $${operation.auth.variables[0]}"`);
  if (needsRequestedWith(operation)) lines.push(`-H "X-Requested-With: XMLHttpRequest"`);
  if (operation.body !== undefined) {
    lines.push(`-H "Content-Type: application/json"`);
    // Inside single quotes of a shell the quote itself is written '\''.
    lines.push(`-d '${JSON.stringify(exampleOf(operation.body), null, 2).replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(' \\\n  ');
}
