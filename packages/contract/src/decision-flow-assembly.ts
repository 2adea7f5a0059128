import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cataloguePage, cursorPage, cursorQuery } from './core/pages.ts';
import { Id, IdText, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

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
        'fill_empty: a draft without nodes got those of the base flow. auto_include: an inventory with autoInclude got the ' +
        'category, the sub-category or the id of an active offer. drop_dead: the id of an offer that is archived or deleted ' +
        'left offerIds.',
    }),
    path: Type.String({
      description:
        'JSON Pointer into draftConfig; of an id that was added as it stands now, of one that left as it stood.',
    }),
    before: Type.Unknown({ description: 'Value before; null where there was none.' }),
    after: Type.Unknown({ description: 'Value after; null where there is none.' }),
  },
  { description: 'One change of a draft.' },
);
export type AssemblyChange = Static<typeof AssemblyChange>;

export const AssemblyRun = Type.Object(
  {
    id: Id('Id of the row.'),
    flowId: Id('Flow.'),
    trigger: StringEnum(assemblyTriggers, {
      description: 'What set it off; bulk: several changes at once, as when a pack is loaded or files are applied.',
    }),
    entityType: Nullable(StringEnum(['offer', 'creative'], { description: 'Kind of record.' }), {
      description: 'Kind of the record that changed; null for bulk.',
    }),
    entityId: Nullable(Type.String(), { description: 'The record that changed; null for bulk.' }),
    changes: Type.Array(AssemblyChange, { description: 'What the rules change in the draft; empty: nothing.' }),
    applied: Type.Boolean({
      description:
        'True when the draft was changed. False when there was nothing to change, or when the draft would have become larger than ' +
        'a draft may be: then `changes` says what is left to do by hand.',
    }),
    createdAt: Timestamp('When it ran.'),
  },
  { description: 'One run of auto-assembly on a flow.' },
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
    summary: 'List what auto-assembly did to the draft of a flow, newest first',
    description:
      'Flows that are active and have autoAssembly are looked at in the transaction of every change that may concern them: an ' +
      'offer was made, changed its status or category, was deleted or restored; a creative was made or changed its status. ' +
      'Only the draft changes, never a published version. Every run leaves a row, also without a change; the last 500 of ' +
      'a flow are kept.',
    role: 'viewer',
    params: Type.Object({ id: IdText('Flow.') }, { description: 'Which flow.' }),
    query: Type.Object({ ...cursorQuery(cataloguePage) }, { description: 'Page.' }),
    responses: { 200: { description: 'A page of runs.', schema: cursorPage(AssemblyRun) } },
    errors: ['validation_failed', 'invalid_cursor', 'not_found'],
    audit: [],
  }),
};
