import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { IdText, Name } from './core/schemas.ts';
import { Coupling, DecisionFlow, DraftConfig, exampleDraft, FlowKey } from './decision-flows.ts';

const common = { tag: 'Decision flows', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;

const FlowReference = Type.Object(
  {
    type: Type.String({ description: 'Last part of the path of its resource: `offers`, `contact-policies`.' }),
    ref: Type.Union(
      [
        Type.String({ description: 'Its key, or its name where there is no key.' }),
        Type.Array(Type.String({ description: 'Key or name.' }), {
          minItems: 2,
          maxItems: 2,
          description: 'The record above it, then its own: `["web", "hero"]`.',
        }),
      ],
      { description: 'How another tenant knows the record.' },
    ),
  },
  { description: 'A record that the flow names by its id.' },
);

/** A flow as one file that another tenant can take (docs/design/api-settled.md 31). */
export const FlowFile = Type.Object(
  {
    format: Type.Literal('arbiter.flow.1', { description: 'Form of this file.' }),
    key: FlowKey,
    name: Name('Name.'),
    description: Type.String({ maxLength: 2000, description: 'Free text.' }),
    autoAssembly: Type.Boolean({ description: 'Offer and creative changes may edit the draft.' }),
    couplingOverride: Coupling,
    config: DraftConfig,
    references: Type.Record(Type.String(), FlowReference, {
      description: 'By id as the config writes it: what the id names.',
    }),
  },
  { description: 'A flow as one file.' },
);
export type FlowFile = Static<typeof FlowFile>;

const FlowImport = Type.Object(
  {
    flow: FlowFile,
    key: Type.Optional(FlowKey),
    name: Type.Optional(Name('Name instead of that of the file.')),
  },
  {
    description: 'What to import, and under which key and name.',
    examples: [
      {
        flow: {
          format: 'arbiter.flow.1',
          key: 'next-best-offer',
          name: 'Next best offer',
          description: '',
          autoAssembly: true,
          couplingOverride: null,
          config: exampleDraft,
          references: {},
        },
        key: 'next-best-offer-copy',
      },
    ],
  },
);
export type FlowImport = Static<typeof FlowImport>;

/** One flow as a file, out of a tenant and into another. */
export const decisionFlowExchangeOperations = {
  export: operation({
    ...common,
    id: 'decisionFlows.export',
    method: 'GET',
    path: '/api/v1/decision-flows/{id}/export',
    summary: 'Export one flow as a file',
    description: 'Values of headers are bullets in it.',
    role: 'viewer',
    params: Type.Object({ id: IdText('Flow.') }, { description: 'Which flow.' }),
    query: Type.Object(
      {
        version: Type.Optional(
          Type.String({
            pattern: '^(draft|published|[1-9][0-9]{0,8})$',
            description:
              'draft (default), published (the last one) or the number of a published version; 404 without it.',
          }),
        ),
      },
      { description: 'Which version.' },
    ),
    responses: { 200: { description: 'The file.', schema: FlowFile } },
    errors: ['validation_failed', 'not_found'],
    audit: [],
  }),
  import: operation({
    ...common,
    id: 'decisionFlows.import',
    changesCatalogue: true,
    method: 'POST',
    path: '/api/v1/decision-flows/import',
    summary: 'Make a draft flow of a file',
    description:
      'Each id of the file becomes the id of the record of this tenant that has the same key or name; one that does not is 400 ' +
      '`reference_not_found`. Header values of the file are bullets: they must be given again before the flow is published.',
    role: 'editor',
    rateLimits: [{ limit: 500, windowSeconds: 60, per: 'tenant' }],
    body: FlowImport,
    responses: { 201: { description: 'The new flow.', schema: DecisionFlow } },
    errors: ['validation_failed', 'reference_not_found', 'duplicate_key', 'not_configured'],
    audit: [{ action: 'create', entityType: 'decisionFlow' }],
  }),
};

export type FlowReferenceEntry = Static<typeof FlowReference>;
