import Type from 'typebox';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { Id, IdText, Int, Nullable } from './core/schemas.ts';
import { DecisionFlow } from './decision-flows.ts';

const common = { tag: 'Decision flows', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;

const Changes = (description: string) =>
  Type.Array(
    Type.Object(
      {
        path: Type.String({ description: 'JSON Pointer below the node, or below flowConfig.' }),
        before: Type.Unknown({ description: 'Value in `from`; null where there is none.' }),
        after: Type.Unknown({ description: 'Value in `to`; null where there is none.' }),
      },
      { description: 'One changed value.' },
    ),
    { description },
  );

const NodeIds = (description: string) => Type.Array(Type.String({ description: 'Id of a node.' }), { description });

const VersionDiff = Type.Object(
  {
    flowId: Id('Flow.'),
    from: Nullable(Type.Integer(), { description: 'Number of the version compared from; null: the draft.' }),
    to: Nullable(Type.Integer(), { description: 'Number of the version compared to; null: the draft.' }),
    added: NodeIds('Nodes that only `to` has, in its order.'),
    removed: NodeIds('Nodes that only `from` has, in its order.'),
    changed: Type.Array(
      Type.Object(
        {
          nodeId: Type.String({ description: 'Id of the node.' }),
          changes: Changes('What is different in the node, value by value.'),
        },
        { description: 'A node of both that is not the same.' },
      ),
      { description: 'Nodes that both have and that differ, in the order of `to`.' },
    ),
    moved: NodeIds('Nodes that both have and that stand elsewhere among them: as few as explain the new order.'),
    flowConfig: Changes('What is different in flowConfig.'),
  },
  { description: 'What makes one version of a flow differ from another.' },
);

const version = (description: string) =>
  Type.String({ pattern: '^(draft|[1-9][0-9]{0,8})$', description: `${description}: its number, or \`draft\`.` });

/** Comparing versions of a decision flow and going back to one (docs/design/api-decisioning.md 6, docs/design/api-settled.md 51). */
export const decisionFlowVersionOperations = {
  diff: operation({
    ...common,
    id: 'decisionFlows.diff',
    method: 'GET',
    path: '/api/v1/decision-flows/{id}/versions/diff',
    summary: 'Say what makes one version of a flow differ from another',
    description: 'Hidden header values look alike in every version, so a change of one does not show.',
    role: 'viewer',
    params: Type.Object({ id: IdText('Flow.') }, { description: 'Which flow.' }),
    query: Type.Object(
      { from: version('Version to compare from'), to: version('Version to compare to') },
      { description: 'Which versions.' },
    ),
    responses: { 200: { description: 'The differences.', schema: VersionDiff } },
    errors: ['validation_failed', 'not_found'],
    audit: [],
  }),
  restoreVersion: operation({
    ...common,
    id: 'decisionFlows.restoreVersion',
    changesCatalogue: true,
    method: 'POST',
    path: '/api/v1/decision-flows/restore-version',
    summary: 'Make a published version the draft again',
    description:
      'The snapshot becomes draftConfig, with the header values that it was published with. Nothing is published by it, and no ' +
      'published version changes. What the snapshot names is checked when it is published again.',
    role: 'editor',
    body: Type.Object(
      {
        id: Id('The flow.'),
        version: Int(1, 2_147_483_647, 'Number of the published version.'),
        rowVersion: Type.Optional(Type.Integer({ description: 'Expected rowVersion; another one is 409.' })),
      },
      { description: 'What to restore.', examples: [{ id: exampleId('decisionFlow'), version: 1 }] },
    ),
    responses: { 200: { description: 'The flow.', schema: DecisionFlow } },
    errors: ['validation_failed', 'not_found', 'row_version_conflict'],
    audit: [{ action: 'revert', entityType: 'decisionFlow' }],
  }),
};
