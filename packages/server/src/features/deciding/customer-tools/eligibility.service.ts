import { type CustomerEligibility, eligibilityPage, type JudgedOffer, pageSize } from '@arbiter/contract';
import { decide } from '@arbiter/engine';
import type { Database } from '../../../db/index.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { takeTurns } from '../../../platform/turns.ts';
import type { DecisionService, Trial } from '../decisions/index.ts';
import { readFacts } from './customer-facts.service.ts';
import { judgeOffers, type Survey } from './eligibility.rules.ts';
import { rowsOf } from './trace-details.ts';

export interface CustomerToolPorts {
  readonly database: Database;
  readonly decisions: { readonly service: Pick<DecisionService, 'trials' | 'readCall'> };
}

export type EligibilityCaller = Pick<RequestFacts, 'tenantId' | 'ip' | 'userAgent' | 'until'>;

interface EligibilityQuery {
  readonly channel?: string | undefined;
  readonly placement?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What every gate says of every active offer (docs/design/api-access.md 16). Throws 400 `invalid_cursor`. */
export async function readEligibility(
  ports: CustomerToolPorts,
  caller: EligibilityCaller,
  customerId: string,
  query: EligibilityQuery,
): Promise<CustomerEligibility> {
  const trials = await readTrials(ports, caller, customerId, query);
  const [first] = trials;
  const { catalogue, input } = first!;
  const surveys: Survey[] = [];
  const turns = takeTurns();
  for (const trial of trials) {
    surveys.push(surveyOf(trial));
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  const active = catalogue.rows.offers.filter(({ status }) => status === 'active');
  const { offers, summary } = judgeOffers(active, surveys, creativesIn(first!, query.channel), input.now);
  const facts = await readFacts(ports.database, first!, caller.until);
  const limit = pageSize(eligibilityPage, query.limit);
  const from = query.cursor === undefined ? 0 : placeBehind(offers, query.cursor);
  const page = pageOf({ rows: offers.slice(from, from + limit + 1), limit, total: offers.length, cursorOf });
  return {
    customerId,
    known: first!.profile.known,
    evaluatedAt: new Date(input.now).toISOString(),
    sampled: trials.some(({ flow }) => flow.plan.drawsScores),
    customer: facts.attributes,
    segments: facts.segments,
    summary,
    offers: page.rows,
    pagination: page.pagination,
  };
}

/** Returns one trial, or one per active channel if the query has no place (docs/design/api-settled.md 85). */
async function readTrials(
  { decisions }: CustomerToolPorts,
  caller: EligibilityCaller,
  customerId: string,
  { channel, placement }: EligibilityQuery,
): Promise<Trial[]> {
  const { trials, readCall } = decisions.service;
  const { channelIds } = await trials.catalogueOf(caller.tenantId);
  const isAsked = channel !== undefined || placement !== undefined || channelIds.length === 0;
  const places = isAsked
    ? [{ channel: channel ?? null, placement: placement ?? null }]
    : channelIds.map((channelId) => ({ channelId }));
  // One luck for all questions about a customer: else the pages of one list would not fit together where a model draws.
  const questions = places.map((place) => ({
    call: readCall(caller, { customerId, dryRun: true, ...place }),
    seed: `eligibility:${customerId}`,
  }));
  return trials.read(caller.tenantId, questions, null, caller.until);
}

function surveyOf(trial: Trial): Survey {
  const { trace, emptyReason } = decide(trial.flow.plan, trial.input, { survey: true });
  if (trace === null) throw new Error('a survey has a trace');
  return {
    dropped: trace.dropped,
    rows: rowsOf(trial, trace),
    closed: trace.pipeline.length === 0 ? emptyReason : null,
  };
}

/** Counts the active creatives of an offer in channels of the type, or in all channels if none is given. */
function creativesIn({ catalogue, flow }: Trial, channelType: string | undefined): (offerId: string) => number {
  const counts = new Map<string, number>();
  const { names } = flow.plan;
  for (const { offerId, channelId } of catalogue.rows.creatives) {
    const channel = names.channel(channelId);
    if (channel === undefined || (channelType !== undefined && channel.channelType !== channelType)) continue;
    counts.set(offerId, (counts.get(offerId) ?? 0) + 1);
  }
  return (offerId) => counts.get(offerId) ?? 0;
}

const cursorOf = ({ offerId }: JudgedOffer): string => Buffer.from(offerId, 'latin1').toString('base64url');

/** The place behind the offer of a cursor. It may have moved since: the page then begins behind where it is now. */
function placeBehind(offers: readonly JudgedOffer[], cursor: string): number {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  const at = isUuid(id) ? offers.findIndex(({ offerId }) => offerId === id) : -1;
  if (at >= 0) return at + 1;
  throw new AppError('invalid_cursor', {
    detail: "The cursor doesn't belong to this list, or its row was deleted.",
    errors: [{ path: 'query.cursor', message: 'is not a cursor of this list' }],
  });
}
