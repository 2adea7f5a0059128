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
import { escapeHtml, escapeText, prose } from '../answers/page.ts';
import { get, propertiesOf, requiredOf, withoutNull } from '../input/schema-parts.ts';
import type { Examples } from './docs-examples.ts';
import type { RenderSchema } from './docs-schema.ts';

/** What the description of an operation needs besides the operation itself. */
export interface OperationContext {
  /** Public address of the server, without a trailing slash. */
  readonly serverUrl: string;
  /** Its path, which prefixes every link. */
  readonly base: string;
  readonly examples: Examples;
  readonly table: RenderSchema;
  /** Returns the operation's schema with references to the shapes that several operations share. */
  readonly shared: (operation: Operation, place: 'body' | number) => TSchema | null;
  /** Codes that nearly every call may return, described once for all. */
  readonly common: ReadonlySet<ErrorCode>;
}

export function methodLabel({ method }: Operation): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/**
 * Returns the HTML of one operation. Collapsed it shows method, path and purpose; expanded it shows everything, and the
 * call can be run.
 */
export function describeOperation(operation: Operation, context: OperationContext): string {
  const { id } = operation;
  const parts = [
    `<p class="name"><a href="#${id}" aria-label="Link to ${id}">${id}</a></p>`,
    operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`,
    aliasesOf(operation),
    limitsOf(operation),
    operation.idempotent === true ? '<p class="soft">Supports an <code>Idempotency-Key</code>.</p>' : '',
    `<h3>Example</h3><div class="copy"><pre><code>${escapeText(curlOf(operation, context))}</code></pre></div>`,
    runnable(operation, context),
    parameters('Path', operation.params, context),
    parameters('Query', operation.query, context),
    parameters('Headers', operation.headers, context),
    bodyOf(operation, context),
    `<h3>Answers</h3>${Object.keys(operation.responses)
      .map((status) => describeAnswer(operation, Number(status), context))
      .join('')}`,
    `<h3>Errors</h3>${errorsOf(operation, context)}`,
  ];
  return (
    `<details class="op"><summary>${methodLabel(operation)}` +
    `<span class="path">${escapeHtml(operation.path).replaceAll('/', '/<wbr>')}</span>` +
    `<span class="what">${prose(operation.summary)}</span>` +
    `<span class="badge">${escapeHtml(accessOf(operation))}</span></summary>` +
    // The id is inside, so a link to it expands the operation.
    `<div class="inside" id="${id}">${parts.join('')}</div></details>`
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
  return `<p class="soft">Also at ${aliases.map((path) => `<code>${escapeHtml(path)}</code>`).join(', ')}.</p>`;
}

function limitsOf({ rateLimits = [] }: Operation): string {
  return rateLimits
    .map((rule) => `<p class="soft">At most ${rule.limit} calls in ${rule.windowSeconds} seconds per ${rule.per}.</p>`)
    .join('');
}

function parameters(title: string, schema: TSchema | undefined, { table }: OperationContext): string {
  return schema === undefined ? '' : `<h3>${title}</h3>${table(schema)}`;
}

function bodyOf(operation: Operation, { shared, table }: OperationContext): string {
  const schema = shared(operation, 'body');
  return schema === null ? '' : `<h3>Body</h3>${table(schema)}`;
}

function describeAnswer(operation: Operation, status: number, { examples, shared, table }: OperationContext): string {
  const response = operation.responses[status]!;
  const heading = `<p><code>${status}</code> ${prose(response.description)}</p>`;
  if (response.schema === null) return heading;
  const types = response.mediaTypes ?? (response.mediaType === undefined ? [] : [response.mediaType]);
  if (types.length > 0) return `${heading}<p class="soft">${escapeHtml(types.join(', '))}</p>`;
  const example = JSON.stringify(examples.answer(operation, response.schema), null, 2);
  const shape = shared(operation, status);
  return (
    `${heading}<pre tabindex="0"><code>${escapeText(example)}</code></pre>` +
    `${shape === null ? '' : `<details class="more"><summary>Response fields</summary>${table(shape)}</details>`}`
  );
}

function errorsOf(operation: Operation, { base, common }: OperationContext): string {
  const own = errorCodesOf(operation).filter((code) => !common.has(code));
  const rows = own.map((code) => {
    const { status, title } = errorRegistry[code];
    return `<tr><td>${status}</td><td><a href="${base}/docs/errors#${code}"><code>${code}</code></a></td><td>${title}</td></tr>`;
  });
  const table = rows.length === 0 ? '' : `<table>${rows.join('')}</table>`;
  return `${table}<p class="soft">${rows.length === 0 ? 'Those' : 'And those'} of <a href="#errors">every call</a>.</p>`;
}

/** The element that docs-script.js fills with the form. Its data attributes describe the call. */
function runnable(operation: Operation, { examples }: OperationContext): string {
  if (!canBeRun(operation)) return '<p class="soft">You can\'t run this call from here.</p>';
  const fields = (schema: TSchema | undefined, required?: boolean) =>
    schema === undefined
      ? []
      : propertiesOf(schema).map(([name, property]) => [
          name,
          required ?? requiredOf(schema).includes(name),
          hintOf(property),
        ]);
  const takesKey =
    ['credential', 'scim'].some((auth) => auth === operation.auth) ||
    propertiesOf(operation.headers ?? {}).some(isCredential);
  const headers = fields(operation.headers).filter(([name]) => !takesKey || !isCredential([String(name)]));
  if (isSecret(operation.auth)) headers.push(['Authorization', true, `Bearer ${operation.auth.variables[0]}`]);
  if (operation.idempotent === true) headers.push(['Idempotency-Key', false, 'makes it safe to retry']);
  const call = {
    method: operation.method,
    path: operation.path,
    takesKey,
    needsRequestedWith: needsRequestedWith(operation),
    hasBody: operation.body !== undefined,
    params: fields(operation.params, true),
    query: fields(operation.query),
    headers,
  };
  const body = operation.body === undefined ? '' : JSON.stringify(examples.body(operation), null, 2);
  return `<section class="run" aria-label="Run ${operation.id}" data-call='${inSingleQuotes(JSON.stringify(call))}' data-body='${inSingleQuotes(body)}'></section>`;
}

/** Escapes for an attribute in single quotes. JSON has no single quotes but is full of double ones. */
function inSingleQuotes(text: string): string {
  return escapeText(text).replaceAll("'", '&#39;');
}

/** The page can send JSON with a key or a secret, and read answers that end. */
function canBeRun({ auth, body, bodyKind = 'json', responses }: Operation): boolean {
  if (auth === 'session' || isSignature(auth)) return false;
  if (body !== undefined && !['json', 'jsonOrForm', 'scim'].includes(bodyKind)) return false;
  return !Object.values(responses).some(({ kind }) => kind === 'events');
}

const isCredential = ([name]: readonly [string, ...unknown[]]): boolean =>
  name === 'Authorization' || name === 'X-API-Key';

/** Returns the placeholder of an empty field. */
function hintOf(schema: TSchema): string {
  const { schema: inner } = withoutNull(schema);
  const fallback = get(schema, 'default') ?? get(inner, 'default');
  return fallback === undefined ? '' : String(fallback);
}

function curlOf(operation: Operation, { serverUrl, examples }: OperationContext): string {
  const parameter = (name: string, property: TSchema) =>
    encodeURIComponent(String(examples.parameter(operation, name, property)));
  const params = new Map(propertiesOf(operation.params ?? {}));
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => parameter(name, params.get(name)!));
  const query = propertiesOf(operation.query ?? {})
    .filter(([name]) => requiredOf(operation.query!).includes(name))
    .map(([name, property]) => `${name}=${parameter(name, property)}`);
  const url = `${serverUrl}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const lines = [`curl ${operation.method === 'GET' ? '' : `-X ${operation.method} `}"${url}"`];
  if (operation.auth === 'credential' || operation.auth === 'scim')
    lines.push(`-H "Authorization: Bearer $ARBITER_API_KEY"`);
  if (isSecret(operation.auth)) lines.push(`-H "Authorization: Bearer $${operation.auth.variables[0]}"`);
  if (needsRequestedWith(operation)) lines.push(`-H "X-Requested-With: curl"`);
  const { bodyKind = 'json' } = operation;
  if (operation.body !== undefined && bodyKind === 'multipart') lines.push('-F file=@file');
  else if (operation.body !== undefined && ['raw', 'stream', 'form'].includes(bodyKind)) {
    const type = bodyKind === 'form' ? 'application/x-www-form-urlencoded' : (operation.mediaTypes?.[0] ?? '*/*');
    lines.push(`-H "Content-Type: ${type}"`, '--data-binary @file');
  } else if (operation.body !== undefined) {
    lines.push(`-H "Content-Type: application/json"`);
    // Inside single quotes, a shell writes a single quote as '\''.
    lines.push(`-d '${JSON.stringify(examples.body(operation), null, 2).replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(' \\\n  ');
}
