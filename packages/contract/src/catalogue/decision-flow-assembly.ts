import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cataloguePage, cursorPage, cursorQuery } from '../core/pages.ts';
import { Id, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** What sets off auto-assembly (docs/design/api-decisioning.md 6, 20). `bulk`: several changes of one transaction. */
export const assemblyTriggers = [
  'offer.created',
  'offer.updated',
  'offer.status_changed',
  'offer.deleted',
  'offer.restored',
  'creative.created',
  'creative.status_changed',
  'bulk',
] as const;
export type AssemblyTrigger = (typeof assemblyTriggers)[number];

export const assemblyRules = ['fill_empty', 'auto_include', 'drop_dead'] as const;

export const AssemblyChange = Type.Object(
  {
    rule: StringEnum(assemblyRules, {
      description:
        'fill_empty: a draft without nodes received those of the base flow. auto_include: the category, ' +
        'sub-category or ID of an active offer was added to an inventory with autoInclude. drop_dead: the ID ' +
        'of an archived or deleted offer was removed from offerIds.',
    }),
    path: Type.String({
      description:
        'JSON Pointer into draftConfig: the current place of an added ID, or the previous place of a removed one.',
    }),
    before: Type.Unknown({ description: 'Value before; null if there was none.' }),
    after: Type.Unknown({ description: 'Value after; null if it was removed.' }),
  },
  { description: 'One change of a draft.' },
);
export type AssemblyChange = Static<typeof AssemblyChange>;

export const AssemblyRun = Type.Object(
  {
    id: Id('ID of the row.'),
    flowId: Id('Flow.'),
    trigger: StringEnum(assemblyTriggers, {
      description: 'What triggered the run. bulk: several changes at once, such as loading a pack or applying files.',
    }),
    entityType: Nullable(StringEnum(['offer', 'creative'], { description: 'Kind of record.' }), {
      description: 'Kind of the record that changed; null for bulk.',
    }),
    entityId: Nullable(Type.String(), { description: 'ID of the record that changed; null for bulk.' }),
    changes: Type.Array(AssemblyChange, { description: 'Changes to the draft. Empty if there are none.' }),
    applied: Type.Boolean({
      description:
        'True if the draft was changed. False if there was nothing to change, or if the draft would have ' +
        'exceeded its maximum size; then `changes` lists what is left to do by hand.',
    }),
    createdAt: Timestamp('When it ran.'),
  },
  { description: 'One auto-assembly run of a flow.' },
);
export type AssemblyRun = Static<typeof AssemblyRun>;

/** The log of auto-assembly (docs/design/api-decisioning.md 6). */
export const decisionFlowAssemblyOperations = {
  assemblyLog: operation({
    id: 'decisionFlows.assemblyLog',
    tag: 'Decision flows',
    auth: 'credential',
    loadClass: 'crud',
    transaction: 'tenant',
    method: 'GET',
    path: '/api/v1/decision-flows/{id}/assembly-log',
    summary: 'List auto-assembly runs of a flow, newest first',
    description:
      'When an offer is created, deleted, restored or changes its status or category, or a creative is ' +
      'created or changes its status, active flows with autoAssembly are updated in the same transaction. ' +
      'Only the draft changes, never a published version. Every run is recorded, even without a change; ' +
      'the last 500 per flow are kept.',
    role: 'viewer',
    params: Type.Object({ id: IdText('Flow.') }, { description: 'Flow to read.' }),
    query: Type.Object({ ...cursorQuery(cataloguePage) }, { description: 'Page.' }),
    responses: { 200: { description: 'A page of runs.', schema: cursorPage(AssemblyRun) } },
    errors: ['validation_failed', 'invalid_cursor', 'not_found'],
    audit: [],
  }),
};
