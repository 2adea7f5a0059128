import Type from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { Id, IdText, Int, Nullable } from '../core/schemas.ts';
import { DecisionFlow } from './decision-flows.ts';

const common = { tag: 'Decision flows', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;

const Changes = (description: string) =>
  Type.Array(
    Type.Object(
      {
        path: Type.String({ description: 'JSON Pointer relative to the node or to flowConfig.' }),
        before: Type.Unknown({ description: 'Value in `from`, or null.' }),
        after: Type.Unknown({ description: 'Value in `to`, or null.' }),
      },
      { description: 'One changed value.' },
    ),
    { description },
  );

const NodeIds = (description: string) => Type.Array(Type.String({ description: 'ID of a node.' }), { description });

const VersionDiff = Type.Object(
  {
    flowId: Id('Flow.'),
    from: Nullable(Type.Integer(), { description: 'Version compared from; null for the draft.' }),
    to: Nullable(Type.Integer(), { description: 'Version compared to; null for the draft.' }),
    added: NodeIds('Nodes that exist only in `to`, in its order.'),
    removed: NodeIds('Nodes that exist only in `from`, in its order.'),
    changed: Type.Array(
      Type.Object(
        {
          nodeId: Type.String({ description: 'ID of the node.' }),
          changes: Changes('Changed values of the node.'),
        },
        { description: 'A node that exists in both versions and has changed.' },
      ),
      { description: 'Nodes that exist in both versions and have changed, in the order of `to`.' },
    ),
    moved: NodeIds('Nodes that exist in both versions and have moved: the smallest set that explains the new order.'),
    flowConfig: Changes('Changed values of flowConfig.'),
  },
  { description: 'Differences between two versions of a flow.' },
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
    summary: 'Compare two versions of a flow',
    description: 'Masked header values look the same in every version, so a changed header value is not reported.',
    role: 'viewer',
    params: Type.Object({ id: IdText('Flow.') }, { description: 'Flow to read.' }),
    query: Type.Object(
      { from: version('Version to compare from'), to: version('Version to compare to') },
      { description: 'Versions to compare.' },
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
    summary: 'Restore a published version as the draft',
    description:
      'The snapshot becomes draftConfig, including the header values it was published with. Nothing is ' +
      "published, and published versions don't change. References are checked when the draft is published " +
      'again.',
    role: 'editor',
    body: Type.Object(
      {
        id: Id('The flow.'),
        version: Int(1, 2_147_483_647, 'Number of the published version.'),
        rowVersion: Type.Optional(
          Type.Integer({ description: 'Expected rowVersion. Returns 409 if it is different.' }),
        ),
      },
      { description: 'Version to restore.', examples: [{ id: exampleId('decisionFlow'), version: 1 }] },
    ),
    responses: { 200: { description: 'The flow.', schema: DecisionFlow } },
    errors: ['validation_failed', 'not_found', 'row_version_conflict'],
    audit: [{ action: 'revert', entityType: 'decisionFlow' }],
  }),
};
