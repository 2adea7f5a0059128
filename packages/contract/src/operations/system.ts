import Type, { type Static } from 'typebox';
import { secret } from '../core/auth.ts';
import { operation } from '../core/operation.ts';
import { JsonObject, StringEnum } from '../core/schemas.ts';

/** The process's own state (docs/design/api-access.md 19). */
export const Health = Type.Object(
  {
    status: StringEnum(['ok'], { description: 'Always ok: the process responds.' }),
    version: Type.String({ description: 'Version of Arbiter.' }),
    uptimeSeconds: Type.Integer({ minimum: 0, description: 'Whole seconds since the process started.' }),
  },
  { description: 'The process is running.' },
);
export type Health = Static<typeof Health>;

const Check = (what: string) =>
  StringEnum(['ok', 'failed', 'off'], { description: `${what}. off: this server is not configured for it.` });

export const ReadyChecks = Type.Object(
  {
    database: Check('The database responds'),
    migrations: Check('All migrations are applied'),
    role: Check("The database role can't bypass row-level security"),
    queueConsumer: Check('The worker accepts jobs'),
    scheduler: Check(
      'This server runs the schedules for alerts, exports and reports, or stands by while another one does',
    ),
  },
  { description: 'Individual checks.' },
);
export type ReadyChecks = Static<typeof ReadyChecks>;

export const Readiness = Type.Object(
  {
    status: StringEnum(['ready', 'not_ready'], { description: 'Whether the server is ready for traffic.' }),
    checks: ReadyChecks,
  },
  { description: 'Readiness of the process.' },
);
export type Readiness = Static<typeof Readiness>;

const open = { auth: 'none', role: null, errors: [], audit: [], transaction: 'none' } as const;
/**
 * One window for all documents: each is the same for all callers, and no real reader exceeds it
 * (docs/design/api-access.md 17).
 */
const documentLimits = [{ limit: 120, windowSeconds: 60, per: 'ip', bucket: 'system.documents' }] as const;
const html = (description: string) => ({
  description,
  schema: Type.String({ description: 'An HTML page.' }),
  mediaType: 'text/html; charset=utf-8',
});

/** Health, metrics and documents (docs/design/api-access.md 19); every path also without `/v1`. */
export const systemOperations = {
  health: operation({
    ...open,
    id: 'system.health',
    method: 'GET',
    path: '/api/v1/health',
    aliases: ['/api/health'],
    tag: 'System',
    summary: 'Check liveness',
    loadClass: 'health',
    responses: { 200: { description: 'The process is running.', schema: Health } },
  }),
  ready: operation({
    ...open,
    id: 'system.ready',
    method: 'GET',
    path: '/api/v1/ready',
    aliases: ['/api/ready'],
    tag: 'System',
    summary: 'Check readiness',
    description:
      'Returns 503 as soon as the process is asked to stop, so that a load balancer can take it out of rotation.',
    loadClass: 'health',
    responses: {
      200: { description: 'Ready.', schema: Readiness },
      503: { description: 'Not ready: starting, stopping, or a check failed.', schema: Readiness },
    },
  }),
  metrics: operation({
    id: 'system.metrics',
    method: 'GET',
    path: '/api/v1/metrics',
    aliases: ['/api/metrics'],
    tag: 'System',
    summary: 'Get metrics in Prometheus text format',
    description:
      'Covers all processes of this server. Requires the bearer token `METRICS_TOKEN`; if that variable is unset, every call returns 401.',
    auth: secret(['METRICS_TOKEN']),
    role: null,
    loadClass: 'health',
    responses: {
      200: {
        description: 'Metrics of this server.',
        schema: Type.String({ description: 'Prometheus text format.' }),
        mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      },
    },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
  openapi: operation({
    ...open,
    id: 'system.openapi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    aliases: ['/api/openapi.json'],
    tag: 'System',
    summary: 'Get this API description as an OpenAPI 3.1 document',
    loadClass: 'crud',
    rateLimits: documentLimits,
    headers: Type.Object(
      { 'If-None-Match': Type.Optional(Type.String({ description: 'ETag of your copy.' })) },
      { description: 'Headers.' },
    ),
    responses: {
      200: { description: 'The document, with an ETag.', schema: JsonObject('An OpenAPI 3.1 document.') },
      304: { description: 'Your copy is up to date.', schema: null },
    },
  }),
  docs: operation({
    ...open,
    id: 'system.docs',
    method: 'GET',
    path: '/api/v1/docs',
    aliases: ['/api/docs'],
    tag: 'System',
    summary: 'Get the API documentation as a web page',
    loadClass: 'crud',
    rateLimits: documentLimits,
    responses: { 200: html('The page.') },
  }),
  errors: operation({
    ...open,
    id: 'system.errors',
    method: 'GET',
    path: '/docs/errors',
    tag: 'System',
    summary: 'Get the error codes as a web page',
    loadClass: 'crud',
    rateLimits: documentLimits,
    responses: { 200: html('The page.') },
  }),
};
