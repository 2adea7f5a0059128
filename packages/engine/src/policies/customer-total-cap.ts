import { readConfig } from '../compile/config-problems.ts';
import type { Assignment } from '../plan/scope.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { windowRemarks, windowsField } from './cap-limits.ts';
import { createCounter } from './counter.ts';
import { daysOfPeriod } from './history-days.ts';
import type { PolicyKind } from './policy-kind.ts';
import { maxTotalField, periodField, periodWords, readTotalAndWindows } from './total-limits.ts';

/** Counts all contacts of the customer, whatever the scope. The scope determines which candidates are blocked. */
export const everyContact: readonly Assignment[] = [{ word: 'global', matches: () => true, counts: () => true }];

const fields = { maxTotal: maxTotalField, periodType: periodField(periodWords, 'alltime'), windows: windowsField };

/** At most n contacts with the customer per period (docs/design/api-catalogue.md 8.3). */
export const customerTotalCap: PolicyKind = {
  ruleType: 'customer_total_cap',
  fields,
  required: ['maxTotal'],
  historyDays: (config) => daysOfPeriod(config, 'alltime'),
  check: (config) => parse(config).problems,
  remarks: windowRemarks,
  compile(policy, _scope, builder) {
    const { limits } = parse(policy.config);
    const counter = createCounter(
      { assignments: everyContact, per: 'scope', limits, countsLane: null, countsItem: null },
      builder,
    );
    return {
      role: 'block',
      final: false,
      bindsMandatory: true,
      needsCreative: false,
      countsAll: true,
      reach: counter.reachOf,
      blocks: counter.isFull,
      explain(run, candidate) {
        const full = counter.full(run, candidate);
        if (full === null) return { reason: '', detail: null };
        const { limit, actual } = full;
        return {
          reason: `customer_total_cap exceeded: ${limit.max}/${limit.word}`,
          detail: { period: limit.period, max: limit.max, actual, ...limit.length },
        };
      },
      take: counter.take,
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const limits = readTotalAndWindows(reader, config, periodWords, 'alltime');
  reader.flag('bypassable');
  return { limits, problems: reader.problems };
}
