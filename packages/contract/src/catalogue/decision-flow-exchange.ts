import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { IdText, Name } from '../core/schemas.ts';
import { Coupling, DecisionFlow, DraftConfig, exampleDraft, FlowKey } from './decision-flows.ts';

const common = { tag: 'Decision flows', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;

const FlowReference = Type.Object(
  {
    type: Type.String({ description: 'Last path segment of the resource, such as `offers` or `contact-policies`.' }),
    ref: Type.Union(
      [
        Type.String({ description: 'Key, or name if the record has no key.' }),
        Type.Array(Type.String({ description: 'Key or name.' }), {
          minItems: 2,
          maxItems: 2,
          description: 'Parent record, then the record itself: `["web", "hero"]`.',
        }),
      ],
      { description: 'How the record is identified in another tenant.' },
    ),
  },
  { description: 'A record referenced by the flow.' },
);

/** A flow as one file that another tenant can take (docs/design/api-settled.md 31). */
export const FlowFile = Type.Object(
  {
    format: Type.Literal('arbiter.flow.1', { description: 'Format of this file.' }),
    key: FlowKey,
    name: Name('Name.'),
    description: Type.String({ maxLength: 2000, description: 'Free text.' }),
    autoAssembly: Type.Boolean({ description: 'Whether offer and creative changes may edit the draft.' }),
    couplingOverride: Coupling,
    config: DraftConfig,
    references: Type.Record(Type.String(), FlowReference, {
      description: 'By ID as used in the config: the record the ID refers to.',
    }),
  },
  { description: 'A flow as a file.' },
);
export type FlowFile = Static<typeof FlowFile>;

const FlowImport = Type.Object(
  {
    flow: FlowFile,
    key: Type.Optional(FlowKey),
    name: Type.Optional(Name('Name to use instead of the one in the file.')),
  },
  {
    description: 'File to import, with an optional key and name.',
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
    summary: 'Export a flow as a file',
    description: 'Header values are masked.',
    role: 'viewer',
    params: Type.Object({ id: IdText('Flow.') }, { description: 'Flow to read.' }),
    query: Type.Object(
      {
        version: Type.Optional(
          Type.String({
            pattern: '^(draft|published|[1-9][0-9]{0,8})$',
            description:
              'draft (default), published (the latest version) or a version number. Returns 404 if that version does not exist.',
          }),
        ),
      },
      { description: 'Version to export.' },
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
    summary: 'Import a flow from a file',
    description:
      "Creates a draft flow. Each ID in the file is replaced by the ID of this tenant's record with the " +
      'same key or name. If there is none, the call returns 400 `reference_not_found`. Header values in ' +
      'the file are masked; enter them again before publishing the flow.',
    role: 'editor',
    rateLimits: [{ limit: 500, windowSeconds: 60, per: 'tenant' }],
    body: FlowImport,
    responses: { 201: { description: 'The new flow.', schema: DecisionFlow } },
    errors: ['validation_failed', 'reference_not_found', 'duplicate_key', 'not_configured'],
    audit: [{ action: 'create', entityType: 'decisionFlow' }],
  }),
};

export type FlowReferenceEntry = Static<typeof FlowReference>;
