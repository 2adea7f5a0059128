import type { TSchema } from 'typebox';
import { plainSchema } from './catalogue/config-unions.ts';
import { isSecret, isSignature, namesTenant } from './core/auth.ts';
import type { BodyKind } from './core/bodies.ts';
import { CronError, OAuthError, ScimError } from './core/error-formats.ts';
import { type ErrorCode, errorRegistry } from './core/errors.ts';
import { type ErrorFormat, needsRequestedWith, type Operation, type ResponseSpec } from './core/operation.ts';
import { errorCodesOf, Problem } from './core/problem.ts';
import { documentWords } from './core/resource.ts';
import { type Json, type JsonObject, type NamedSchema, pascal, shareSchemas, singular } from './shared-schemas.ts';

export interface OpenApiOptions {
  /** Version of the product. */
  readonly version: string;
  /** Public address without a path. */
  readonly serverUrl: string;
}

/** Returns a schema in the document's form; `name` is its name when it's shared. */
type Place = (name: string, schema: TSchema) => JsonObject;

/**
 * The OpenAPI 3.1 document of the operations (https://spec.openapis.org/oas/v3.1.1). Every alias is a path of its own
 * without an operation id of its own. Throws when an operation contradicts itself: twin ids, a path parameter without a
 * schema or the reverse, two operations on one path and method.
 */
export function openapi(operations: readonly Operation[], options: OpenApiOptions): Record<string, unknown> {
  const ids = new Set<string>();
  for (const { id } of operations) {
    if (ids.has(id)) throw new Error(`two operations have the id ${id}`);
    ids.add(id);
  }
  // Two passes: the first collects the schemas, the second writes their final form once all are known.
  const roots: NamedSchema[] = [];
  describePaths(operations, (name, schema) => {
    const collected = plainSchema(schema);
    roots.push({ name, schema: collected });
    return collected;
  });
  const shared = shareSchemas(roots);
  let next = 0;
  const paths = describePaths(operations, () => shared.schemas[next++] ?? {});
  return {
    openapi: '3.1.1',
    info: {
      title: 'Arbiter',
      version: options.version,
      summary: 'Decides, for one customer at one moment, which offer to show, and can prove why.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: components(shared.components, operations),
  };
}

function describePaths(operations: readonly Operation[], place: Place): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    checkPathParameters(operation);
    const described = describe(operation, place);
    for (const [index, path] of [operation.path, ...(operation.aliases ?? [])].entries()) {
      const item = paths[path] ?? {};
      paths[path] = item;
      const method = operation.method.toLowerCase();
      if (item[method] !== undefined) throw new Error(`two operations have the route ${operation.method} ${path}`);
      item[method] = index === 0 ? described : alias(described, operation, index);
    }
  }
  return paths;
}

const introduction = [
  'Bodies are JSON. Every call that changes state must have the header `X-Requested-With`.',
  'In a POST that creates no record, `null` for an optional property is the same as omitting it. In a PUT it clears the property if it is nullable.',
  'Errors are `application/problem+json` with a `code` from a closed list.',
  'Unknown properties, parameters and configuration keys, and configurations without effect, are accepted and',
  'listed in the header `X-Unknown-Properties`. With `Prefer: handling=strict` they return 400 `validation_failed`.',
  'Clients must ignore unknown properties in responses.',
].join(' ');

function checkPathParameters(operation: Operation): void {
  const declared = Object.keys(propertiesOf(operation.params)).sort();
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    const used = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '').sort();
    if (used.join() !== declared.join()) {
      throw new Error(`${operation.id}: the path ${path} has [${used}], its params declare [${declared}]`);
    }
  }
}

function describe(operation: Operation, place: Place): JsonObject {
  const resource = pascal(operation.id.split('.')[0] ?? '');
  const name = singular(resource) + pascal(operation.id.split('.')[1] ?? '');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(descriptionOf(operation) === '' ? {} : { description: descriptionOf(operation) }),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: requestBodyOf(
            operation,
            place(name, operation.body),
            operation.body,
            operation.fileForm === undefined ? null : place(`${name}Form`, operation.fileForm),
          ),
        }),
    responses: responsesOf(operation, (schema) => place(singular(resource), schema)),
  };
}

function alias(described: JsonObject, operation: Operation, index: number): JsonObject {
  return { ...described, operationId: `${operation.id}.alias${index}`, summary: `${operation.summary} (alias)` };
}

function descriptionOf(operation: Operation): string {
  const parts = [operation.description ?? ''];
  if (operation.role !== null) parts.push(`Requires the ${operation.role} role.`);
  for (const limit of operation.rateLimits ?? []) {
    parts.push(`At most ${limit.limit} calls in ${limit.windowSeconds} seconds per ${limit.per}.`);
  }
  return parts.filter((part) => part !== '').join(' ');
}

function securityOf({ auth }: Operation): Json[] {
  if (auth === 'none') return [];
  if (auth === 'credential') return [{ bearer: [] }, { apiKey: [] }];
  if (auth === 'session' || auth === 'scim') return [{ [auth]: [] }];
  if (isSignature(auth)) return [{ [auth.variable]: [] }];
  return [...auth.headers.map((header) => ({ [schemeOf(header)]: [] })), { [auth.variables[0]]: [] }];
}

const schemeOf = (header: string): string => pascal(header.replaceAll('-', ' '));

/** Returns the schemes of secrets and signatures that operations use, by the names from `securityOf`. */
function operatorSchemes(operations: readonly Operation[]): JsonObject {
  const schemes: JsonObject = {};
  for (const { auth } of operations) {
    if (isSignature(auth)) {
      const description = `\`${auth.prefix}\` and the hex HMAC-SHA256 of the raw body, with the key \`${auth.variable}\`.`;
      schemes[auth.variable] = { type: 'apiKey', in: 'header', name: headerName(auth.header), description };
    } else if (isSecret(auth)) {
      const description = `The value of \`${auth.variables.join('` or `')}\`.`;
      schemes[auth.variables[0]] = { type: 'http', scheme: 'bearer', description };
      for (const header of auth.headers) {
        schemes[schemeOf(header)] = { type: 'apiKey', in: 'header', name: headerName(header), description };
      }
    } else if (auth === 'session') {
      const description = 'The session cookie. API keys and access tokens are not accepted.';
      schemes.session = { type: 'apiKey', in: 'cookie', name: 'arbiter_session', description };
    } else if (auth === 'scim') {
      schemes.scim = { type: 'http', scheme: 'bearer', description: 'An API key with the scope `scim`.' };
    }
  }
  return schemes;
}

/** `x-cron-token` as documents write it: `X-Cron-Token`. */
const headerName = (header: string): string => header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());

function propertiesOf(schema: TSchema | undefined): { readonly [name: string]: TSchema } {
  return schema === undefined ? {} : (Reflect.get(schema, 'properties') ?? {});
}

function parametersOf(operation: Operation): Json[] {
  const from = (schema: TSchema | undefined, place: string): Json[] => {
    const required: readonly string[] = schema === undefined ? [] : (Reflect.get(schema, 'required') ?? []);
    return Object.entries(propertiesOf(schema)).map(([name, property]) => {
      const { description, ...rest } = plainSchema(property);
      return {
        name,
        in: place,
        required: place === 'path' || required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema: rest,
      };
    });
  };
  const parameters = [
    ...from(operation.params, 'path'),
    ...from(operation.query, 'query'),
    ...from(operation.headers, 'header'),
  ];
  const shared: string[] = ['Prefer'];
  if (needsRequestedWith(operation)) shared.push('RequestedWith');
  if (operation.idempotent === true) shared.push('IdempotencyKey');
  if (namesTenant(operation.auth)) shared.push('TenantId', 'UserRole');
  return [...parameters, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

const bodyTypes: Readonly<Record<Exclude<BodyKind, 'raw' | 'stream'>, readonly string[]>> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  jsonOrForm: ['application/json', 'application/x-www-form-urlencoded'],
  multipart: ['multipart/form-data'],
  scim: ['application/scim+json', 'application/json'],
};

/** `form`: the schema of a form in place of the JSON body; null: a file is sent as it is. */
function requestBodyOf(operation: Operation, schema: JsonObject, body: TSchema, form: JsonObject | null): JsonObject {
  const required: readonly string[] = Reflect.get(body, 'required') ?? [];
  const kind = operation.bodyKind ?? 'json';
  const types = kind === 'raw' || kind === 'stream' ? (operation.mediaTypes ?? []) : bodyTypes[kind];
  return {
    required: required.length > 0 || kind === 'raw' || kind === 'stream' || kind === 'multipart',
    content: {
      ...Object.fromEntries(types.map((type) => [type, { schema, ...exampleOf(operation) }])),
      ...Object.fromEntries(
        (operation.fileTypes ?? []).map((type) => [type, { schema: form ?? fileSchema(operation) }]),
      ),
    },
  };
}

/** A file in place of the JSON body. */
const fileSchema = ({ fileLimit }: Operation): JsonObject => ({
  type: 'string',
  description: `A file of at most ${fileLimit} bytes.`,
});

/** A new record as its draft body shows it, where the schema itself has no example. */
function exampleOf(operation: Operation): { example?: Json } {
  if (operation.body === undefined || Reflect.has(operation.body, 'examples')) return {};
  const draft = draftBodyOf(operation);
  return draft === undefined ? {} : { example: JSON.parse(JSON.stringify(draft)) };
}

/** The draft body of the operation that creates a record; undefined for all others. */
export function draftBodyOf({ method, resource }: Operation): object | undefined {
  return method === 'POST' ? resource?.draft?.(documentWords) : undefined;
}

function responsesOf(operation: Operation, place: (schema: TSchema) => JsonObject): JsonObject {
  const responses: JsonObject = {};
  for (const [status, response] of Object.entries(operation.responses)) {
    responses[status] = successOf(operation, response, Number(status) < 400, place);
  }
  const byStatus = Map.groupBy(errorCodesOf(operation), (code) => errorRegistry[code].status);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    // Readiness answers 503 in a shape of its own.
    responses[String(status)] ??= problemOf(status, codes, operation.errorFormat ?? 'problem');
  }
  return responses;
}

function successOf(
  operation: Operation,
  response: ResponseSpec,
  isSuccess: boolean,
  place: (schema: TSchema) => JsonObject,
): JsonObject {
  const headers: JsonObject = {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    'X-Unknown-Properties': { $ref: '#/components/headers/UnknownProperties' },
    'Preference-Applied': { $ref: '#/components/headers/PreferenceApplied' },
  };
  if (isSuccess && operation.idempotent === true) {
    headers['Idempotent-Replay'] = { $ref: '#/components/headers/IdempotentReplay' };
  }
  if (operation.changesCatalogue === true) {
    headers['X-Config-Version'] = { $ref: '#/components/headers/ConfigVersion' };
  }
  if (response.kind === 'file') headers['Content-Disposition'] = { $ref: '#/components/headers/ContentDisposition' };
  if (response.schema === null) return { description: response.description, headers };
  const types = response.mediaTypes ?? [response.kind === 'events' ? eventStream : (response.mediaType ?? jsonType)];
  const schema = place(response.schema);
  const content = types.map((type) => [type.split(';', 1)[0] ?? '', { schema }]);
  if (response.events !== undefined) content.push([eventStream, { schema: place(response.events) }]);
  return { description: response.description, headers, content: Object.fromEntries(content) };
}

const jsonType = 'application/json';
const eventStream = 'text/event-stream';

const errorTypes: Readonly<Record<ErrorFormat, { readonly type: string; readonly schema: string | null }>> = {
  problem: { type: 'application/problem+json', schema: 'Problem' },
  oauth: { type: jsonType, schema: 'OAuthError' },
  scim: { type: 'application/scim+json', schema: 'ScimError' },
  cron: { type: jsonType, schema: 'CronError' },
  page: { type: 'text/html', schema: null },
};

function problemOf(status: number, codes: readonly ErrorCode[], format: ErrorFormat): JsonObject {
  const headers: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  if (status === 429 || status === 503) headers['Retry-After'] = { $ref: '#/components/headers/RetryAfter' };
  const { type, schema } = errorTypes[format];
  return {
    description: codes.map((code) => `\`${code}\`: ${errorRegistry[code].title}`).join('; '),
    headers,
    content: { [type]: { schema: schema === null ? { type: 'string' } : { $ref: `#/components/schemas/${schema}` } } },
    ...(format === 'problem' ? { 'x-codes': [...codes] } : {}),
  };
}

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });

const requestHeaders: JsonObject = {
  RequestedWith: {
    name: 'X-Requested-With',
    in: 'header',
    required: true,
    ...text('Any value, such as `XMLHttpRequest`. Without it, the call returns 403 `csrf_header_required`.'),
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    ...text(
      '`handling=strict` (RFC 7240) rejects what would otherwise only be listed in `X-Unknown-Properties`. ' +
        'The response then has `Preference-Applied: handling=strict`.',
    ),
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Repeating a call with the same key and payload within 7 days returns the first response and has no further effect.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  TenantId: {
    name: 'X-Tenant-Id',
    in: 'header',
    required: false,
    ...text('Tenant of the credential. Any other value returns 403 `tenant_mismatch`.'),
  },
  UserRole: {
    name: 'X-User-Role',
    in: 'header',
    required: false,
    description: 'Lowers the role for this call. A higher or unknown value has no effect.',
    schema: { type: 'string', enum: ['admin', 'editor', 'viewer'] },
  },
};

const responseHeaders: JsonObject = {
  RequestId: text('ID of the call in logs and audit rows: the one you sent, otherwise a new one.'),
  UnknownProperties: text(
    'Input without effect, at most 10 entries: `chanel (channel?), config.perDay (maxPerDay?)`. Percent-encoded.',
  ),
  PreferenceApplied: text('`handling=strict` if the call requested it.'),
  IdempotentReplay: text('`true` if this is the stored response of an earlier call.'),
  ConfigVersion: {
    description:
      'Catalogue version that contains the change. Pass it as `require.minConfigVersion` to make a decision wait for it.',
    schema: { type: 'integer', minimum: 0 },
  },
  RetryAfter: { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } },
};

function components(shared: JsonObject, operations: readonly Operation[]): JsonObject {
  return {
    schemas: { ...shared, Problem: plainSchema(Problem), ...otherErrors(operations) },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`krn_...`).' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, with `X-Tenant-Id`.' },
      ...operatorSchemes(operations),
    },
    parameters: requestHeaders,
    headers: {
      ...responseHeaders,
      ...(hasFiles(operations) ? { ContentDisposition: text('`attachment` with the suggested file name.') } : {}),
    },
  };
}

const hasFiles = (operations: readonly Operation[]): boolean =>
  operations.some(({ responses }) => Object.values(responses).some(({ kind }) => kind === 'file'));

/** Error bodies other than problems, as far as an operation answers with them. */
function otherErrors(operations: readonly Operation[]): JsonObject {
  const formats = new Set(operations.map(({ errorFormat }) => errorFormat));
  return {
    ...(formats.has('oauth') ? { OAuthError: plainSchema(OAuthError) } : {}),
    ...(formats.has('scim') ? { ScimError: plainSchema(ScimError) } : {}),
    ...(formats.has('cron') ? { CronError: plainSchema(CronError) } : {}),
  };
}
