import {
  Binary,
  limitQuery,
  type Operation,
  offsetPage,
  offsetQuery,
  operation,
  secret,
  signature,
} from '@arbiter/contract';
import Type from 'typebox';

/**
 * A contract for tests: one operation for each kind of credential, body, error, page and response that an operation may
 * declare, whether or not the product uses it yet. The operation matrix tests them like the real ones.
 */

const common = { tag: 'Kinds', errors: [], audit: [], loadClass: 'crud' } as const;
const Word = Type.String({ minLength: 1, maxLength: 100, description: 'A word.' });
const Echo = Type.Object({ word: Word }, { description: 'What was sent.' });
const echoed = { 200: { description: 'What was sent.', schema: Echo } } as const;
const Rows = Type.Array(Type.Integer({ description: 'A number.' }), { description: 'Numbers in order.' });

export const kindPage = { usual: 2, maximum: 5 };
export const uploadLimit = 1024 * 1024;

export const kindOperations = {
  session: operation({
    ...common,
    id: 'kinds.session',
    method: 'POST',
    path: '/api/v1/kinds/session',
    summary: 'Takes a session',
    auth: 'session',
    role: 'editor',
    body: Echo,
    responses: echoed,
    transaction: 'tenant',
  }),
  scim: operation({
    ...common,
    id: 'kinds.scim',
    method: 'POST',
    path: '/api/v1/kinds/scim/Things',
    summary: 'Takes and answers SCIM',
    auth: 'scim',
    role: null,
    errorFormat: 'scim',
    body: Echo,
    bodyKind: 'scim',
    responses: { 201: { description: 'What was sent.', schema: Echo, mediaType: 'application/scim+json' } },
    transaction: 'tenant',
  }),
  cron: operation({
    ...common,
    id: 'kinds.cron',
    method: 'GET',
    path: '/api/v1/kinds/cron',
    summary: 'Is called by a scheduler',
    auth: secret(['CRON_TOKEN', 'CRON_SECRET'], ['x-cron-token', 'x-cron-secret']),
    role: null,
    head: false,
    errorFormat: 'cron',
    responses: echoed,
    transaction: 'none',
  }),
  webhook: operation({
    ...common,
    id: 'kinds.webhook',
    method: 'POST',
    path: '/api/v1/kinds/webhook',
    summary: 'Is called by a provider',
    auth: signature('WEBHOOK_SIGNING_SECRET', 'x-webhook-signature'),
    role: null,
    body: Binary({ description: 'The notification.' }),
    bodyKind: 'raw',
    mediaTypes: ['application/json', 'text/plain', 'application/x-www-form-urlencoded'],
    responses: { 200: { description: 'The number of bytes.', schema: Type.Integer({ description: 'Bytes.' }) } },
    transaction: 'none',
  }),
  token: operation({
    ...common,
    id: 'kinds.token',
    method: 'POST',
    path: '/api/v1/kinds/token',
    summary: 'Takes JSON or a form and answers errors of OAuth',
    auth: 'none',
    role: null,
    csrfExempt: true,
    errorFormat: 'oauth',
    rateLimits: [{ limit: 200, windowSeconds: 60, per: 'ip' }],
    body: Type.Object(
      { word: Word, times: Type.Optional(Type.Integer({ minimum: 1, description: 'How often.' })) },
      { description: 'A word, some times.' },
    ),
    bodyKind: 'jsonOrForm',
    bodyLimit: 1024 * 1024,
    responses: echoed,
    transaction: 'none',
  }),
  form: operation({
    ...common,
    id: 'kinds.form',
    method: 'POST',
    path: '/api/v1/kinds/form',
    summary: 'Takes a form',
    auth: 'credential',
    role: 'viewer',
    body: Type.Object(
      {
        word: Word,
        times: Type.Optional(Type.Integer({ minimum: 1, description: 'How often.' })),
        loud: Type.Optional(Type.Boolean({ description: 'In capitals.' })),
        more: Type.Optional(Type.Array(Word, { description: 'More words.' })),
      },
      { description: 'A form.' },
    ),
    bodyKind: 'form',
    responses: { 200: { description: 'What was read.', schema: Type.Unsafe<unknown>({ description: 'The form.' }) } },
    transaction: 'tenant',
  }),
  upload: operation({
    ...common,
    id: 'kinds.upload',
    method: 'POST',
    path: '/api/v1/kinds/upload',
    summary: 'Takes a file',
    auth: 'credential',
    role: 'editor',
    body: Type.Object(
      { word: Word, file: Binary({ description: 'The file.' }) },
      { description: 'A word and a file.' },
    ),
    bodyKind: 'multipart',
    bodyLimit: uploadLimit,
    responses: {
      200: {
        description: 'What was read.',
        schema: Type.Object(
          {
            word: Type.Union([Word, Type.Null()], { description: 'The word.' }),
            files: Type.Array(
              Type.Object(
                {
                  name: Type.String({ description: 'Name of the part.' }),
                  fileName: Type.Union([Type.String(), Type.Null()], { description: 'Name of the file.' }),
                  mediaType: Type.Union([Type.String(), Type.Null()], { description: 'Its type.' }),
                  bytes: Type.Integer({ description: 'Its length.' }),
                },
                { description: 'A file.' },
              ),
              { description: 'The files.' },
            ),
          },
          { description: 'The parts.' },
        ),
      },
    },
    transaction: 'own',
  }),
  file: operation({
    ...common,
    id: 'kinds.file',
    method: 'GET',
    path: '/api/v1/kinds/file/{format}',
    summary: 'Answers a file',
    auth: 'credential',
    role: 'viewer',
    params: Type.Object({ format: Type.String({ description: '`csv` or `text`.' }) }, { description: 'Which.' }),
    responses: {
      200: {
        description: 'The file.',
        kind: 'file',
        mediaTypes: ['text/csv; charset=utf-8', 'text/plain; charset=utf-8'],
        schema: Binary({ description: 'The file.' }),
      },
    },
    errors: ['not_found'],
    transaction: 'own',
  }),
  events: operation({
    ...common,
    id: 'kinds.events',
    method: 'GET',
    path: '/api/v1/kinds/events',
    summary: 'Answers events',
    auth: 'credential',
    role: 'viewer',
    query: Type.Object(
      { forever: Type.Optional(Type.Boolean({ default: false, description: 'Never ends by itself.' })) },
      { description: 'How long.' },
    ),
    headers: Type.Object(
      { 'Last-Event-ID': Type.Optional(Type.String({ description: 'The last event that was seen.' })) },
      { description: 'Where to go on.' },
    ),
    responses: {
      200: {
        description: 'Events.',
        kind: 'events',
        schema: Type.Object({ number: Type.Integer({ description: 'Its number.' }) }, { description: 'An event.' }),
      },
    },
    transaction: 'own',
  }),
  jsonOrEvents: operation({
    ...common,
    id: 'kinds.jsonOrEvents',
    method: 'GET',
    path: '/api/v1/kinds/json-or-events',
    summary: 'Answers JSON, or events to who asks for them',
    auth: 'credential',
    role: 'viewer',
    responses: { 200: { description: 'A word, or its letters.', schema: Echo, events: Word } },
    transaction: 'own',
  }),
  offsetList: operation({
    ...common,
    id: 'kinds.offsetList',
    method: 'GET',
    path: '/api/v1/kinds/numbers',
    summary: 'A list by offset',
    auth: 'credential',
    role: 'viewer',
    query: Type.Object(offsetQuery(kindPage), { description: 'Which page.' }),
    responses: {
      200: { description: 'A page.', schema: offsetPage(Type.Integer({ description: 'A number.' })) },
    },
    transaction: 'none',
  }),
  plainList: operation({
    ...common,
    id: 'kinds.plainList',
    method: 'GET',
    path: '/api/v1/kinds/plain',
    summary: 'A plain array',
    auth: 'credential',
    role: 'viewer',
    query: Type.Object(limitQuery(kindPage), { description: 'How many.' }),
    responses: { 200: { description: 'The numbers.', schema: Rows } },
    transaction: 'none',
  }),
} satisfies Record<string, Operation>;
