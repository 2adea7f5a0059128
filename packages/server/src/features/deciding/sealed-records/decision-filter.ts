import type { decisionFilters, decisionSources } from '@arbiter/contract';
import type { EmptyReason } from '@arbiter/engine';
import type { Static, TObject } from 'typebox';
import type { Conditions } from '../../../db/conditions.ts';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import { firstIdAt, isUuid } from '../../../platform/ids.ts';
import { askedRange } from '../../../platform/time/day-or-instant.ts';
import { selectIdsByKey } from '../../catalogue/flows/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { refOfCustomer } from '../customer-states/index.ts';
import { showedOffer } from '../interactions/index.ts';
import { emptyCodes } from './empty-codes.ts';

/** Filters for decisions (docs/design/api-settled.md, "Decisions as a list"). */
export type DecisionFilters = Static<TObject<typeof decisionFilters>>;

/** The same, read: instants, ids of flows, the number of the reason. */
export interface DecisionFilter {
  readonly customerId: string | null;
  readonly flowIds: readonly string[] | null;
  readonly version: number | null;
  readonly channelId: string | null;
  readonly offerId: string | null;
  readonly source: (typeof decisionSources)[number] | null;
  readonly emptyCode: number | null;
  readonly explored: boolean | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Reads the filters. Throws 400 for an unknown reason and for an invalid instant. Null: nothing can match. */
export async function readDecisionFilter(tx: Tx, asked: DecisionFilters): Promise<DecisionFilter | null> {
  const { decisionFlowKey, channelId = null, offerId = null } = asked;
  const emptyCode = asked.emptyReason === undefined ? null : emptyCodeOf(asked.emptyReason);
  const range = await askedRange(asked, async () => (await readSettings(tx)).timezone);
  const flowIds = decisionFlowKey === undefined ? null : await selectIdsByKey(tx, decisionFlowKey);
  const isMalformed = [channelId, offerId].some((id) => id !== null && !isUuid(id));
  if (isMalformed || flowIds?.length === 0) return null;
  return {
    customerId: asked.customerId ?? null,
    flowIds,
    version: asked.version ?? null,
    channelId,
    offerId,
    source: asked.source ?? null,
    emptyCode,
    explored: asked.explored ?? null,
    ...range,
  };
}

function emptyCodeOf(reason: string): number {
  if (!Object.hasOwn(emptyCodes, reason)) {
    throw invalid('query.emptyReason', `must be one of ${Object.keys(emptyCodes).join(', ')}`);
  }
  return emptyCodes[reason as EmptyReason];
}

/** A decision's id comes from the process's clock; `decided_at` is the real time, and ids bound what is read. */
const idsMayDifferMs = 86_400_000;

/** Adds the conditions on a row `d` of `decisions`. */
export function addRecordConditions({ add, also }: Pick<Conditions, 'add' | 'also'>, filter: DecisionFilter): void {
  const { customerId, flowIds, version, channelId, offerId, source, emptyCode, explored, from, to } = filter;
  if (customerId !== null) add(customerId, (p) => `d.customer_ref = ${refOfCustomer('$1', p)}`);
  const [flowId] = flowIds ?? [];
  // Query one id by equality, so that the index by flow returns the rows in order.
  if (flowIds?.length === 1) add(flowId, (p) => `d.flow_id = ${p}::uuid`);
  else if (flowIds !== null) add(flowIds, (p) => `d.flow_id = any(${p}::uuid[])`);
  if (version !== null) add(version, (p) => `d.flow_version = ${p}`);
  if (channelId !== null) add(channelId, (p) => `d.channel_id = ${p}::uuid`);
  if (source !== null) add(source, (p) => `d.source = ${p}`);
  if (emptyCode !== null) add(emptyCode, (p) => `d.empty_code = ${p}::smallint`);
  if (explored !== null) also(explored ? 'd.explored' : 'd.explored is not true');
  if (from !== null) {
    add(from, (p) => `d.decided_at >= ${p}`);
    add(firstIdAt(Math.max(0, from.getTime() - idsMayDifferMs)), (p) => `d.id >= ${p}::uuid`);
  }
  if (to !== null) {
    add(to, (p) => `d.decided_at < ${p}`);
    add(firstIdAt(Math.max(0, to.getTime() + idsMayDifferMs)), (p) => `d.id < ${p}::uuid`);
  }
  if (offerId !== null) add(offerId, (p) => showedOffer('$1', 'd.id', `${p}::uuid`));
}
