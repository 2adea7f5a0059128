import { customerEventTypes, type ErrorEntry, type JourneyDefinition, type JourneyNode } from '@arbiter/contract';
import { didYouMean, listWords } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { readRelated, requireLive } from '../../catalogue/catalogue-records/index.ts';
import { hasFlowWithKey } from '../../catalogue/flows/index.ts';
import { conditionProblems } from '../event-conditions/index.ts';
import { definitionProblems, resultKeys } from './definition.rules.ts';

/** What a journey is checked for. */
interface CheckedParts {
  readonly definition: JourneyDefinition;
  readonly entryCondition: Readonly<Record<string, unknown>> | null;
}

/**
 * Checks a journey against its rules and the tenant, and returns its definition with ids in lower case. Throws 400 for
 * conditions that can't be read and unknown columns, 400 `reference_not_found`, and 422 `pipeline_invalid`.
 */
export async function checkJourney(tx: Tx, { definition, entryCondition }: CheckedParts): Promise<JourneyDefinition> {
  const results = resultKeys(definition);
  refuseProblems([
    ...(entryCondition === null ? [] : conditionProblems(entryCondition, '/entryCondition', [])),
    ...definition.nodes.flatMap((node, at) =>
      'condition' in node.config && node.config.condition !== undefined
        ? conditionProblems(node.config.condition, `/definition/nodes/${at}/config/condition`, results)
        : [],
    ),
  ]);
  assertRuns(definitionProblems(definition));
  const notBatch: ErrorEntry[] = [];
  for (const [at, node] of definition.nodes.entries()) {
    notBatch.push(...(await checkReferences(tx, node, `/definition/nodes/${at}/config`)));
  }
  assertRuns(notBatch);
  return withCanonicalIds(definition);
}

function assertRuns(problems: readonly ErrorEntry[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('pipeline_invalid', {
    detail: `The journey can't run: ${first.path} ${first.message}.`,
    errors: problems.slice(0, 50),
  });
}

/** Checks what a node names. Returns why it can't run. */
async function checkReferences(tx: Tx, node: JourneyNode, path: string): Promise<ErrorEntry[]> {
  switch (node.type) {
    case 'entry_trigger':
      refuseUnknownEvent(node.config.eventType, `${path}/eventType`);
      if (node.config.segmentId !== undefined) {
        await requireLive(tx, 'segment', node.config.segmentId, `${path}/segmentId`);
      }
      return [];
    case 'wait':
      refuseUnknownEvent(node.config.untilEvent, `${path}/untilEvent`);
      return [];
    case 'nba_decision':
      await requireFlow(tx, node.config.decisionFlowKey, `${path}/decisionFlowKey`);
      if (node.config.channelId !== undefined) {
        await requireLive(tx, 'channel', node.config.channelId, `${path}/channelId`);
      }
      return [];
    case 'channel_action': {
      const { channelId } = node.config;
      const { deliveryMode } = await requireLive(tx, 'channel', channelId, `${path}/channelId`, ['deliveryMode']);
      if (deliveryMode !== 'api') return [];
      const message = 'must not be a channel whose deliveryMode is api';
      return [{ path: `${path}/channelId`, message, nodeId: node.id }];
    }
    case 'update_attribute':
      await checkColumns(tx, node.config, path);
      return [];
    default:
      return [];
  }
}

function refuseUnknownEvent(type: string | undefined, path: string): void {
  if (type === undefined || customerEventTypes.some((known) => known === type)) return;
  refuseProblems([
    { path, message: `must be one of ${listWords(customerEventTypes)}${didYouMean(type, customerEventTypes)}` },
  ]);
}

/** Throws 400 `reference_not_found` for a flow that the tenant doesn't have, by key or id. */
export async function requireFlow(tx: Tx, key: string, path: string): Promise<void> {
  // Requests name flows by key or id.
  if ((await hasFlowWithKey(tx, key)) || (await readRelated(tx, 'decisionFlow', [key], ['key'])).size > 0) return;
  throw new AppError('reference_not_found', {
    detail: `${path} must be the key of an existing decision flow in this tenant.`,
    errors: [{ path, message: 'must be the key of an existing decision flow' }],
  });
}

/** Throws 400 for a schema that isn't one of customers, and for columns that it doesn't have. */
export async function checkColumns(
  tx: Tx,
  { schemaId, set }: { readonly schemaId: string; readonly set: Readonly<Record<string, unknown>> },
  path: string,
): Promise<void> {
  const schema = await requireLive(tx, 'dataSchema', schemaId, `${path}/schemaId`, ['schemaType', 'fields']);
  if (schema.schemaType !== 'customer') {
    refuseProblems([{ path: `${path}/schemaId`, message: 'must be a schema of type customer' }]);
  }
  const columns = schema.fields.map(({ name }) => name);
  refuseProblems(
    Object.keys(set)
      .filter((name) => !columns.includes(name))
      .map((name) => ({ path: `${path}/set/${name}`, message: `is not a column${didYouMean(name, columns)}` })),
  );
}

/** Ids are compared as text inside JSON. */
function withCanonicalIds({ nodes, edges }: JourneyDefinition): JourneyDefinition {
  return {
    edges,
    nodes: nodes.map((node): JourneyNode => {
      switch (node.type) {
        case 'entry_trigger': {
          const { segmentId } = node.config;
          return segmentId === undefined
            ? node
            : { ...node, config: { ...node.config, segmentId: segmentId.toLowerCase() } };
        }
        case 'nba_decision': {
          const { channelId } = node.config;
          return channelId === undefined
            ? node
            : { ...node, config: { ...node.config, channelId: channelId.toLowerCase() } };
        }
        case 'channel_action':
          return { ...node, config: { ...node.config, channelId: node.config.channelId.toLowerCase() } };
        case 'update_attribute':
          return { ...node, config: { ...node.config, schemaId: node.config.schemaId.toLowerCase() } };
        default:
          return node;
      }
    }),
  };
}
