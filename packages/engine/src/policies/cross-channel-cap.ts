import { textsField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Assignment } from '../plan/scope.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { windowRemarks, windowsField } from './cap-limits.ts';
import { createCounter } from './counter.ts';
import { daysOfPeriod } from './history-days.ts';
import { channelIdOf } from './lane-view.ts';
import type { PolicyKind } from './policy-kind.ts';
import { maxTotalField, periodField, readTotalAndWindows } from './total-limits.ts';

const periods = ['daily', 'weekly', 'monthly'] as const;

const fields = {
  maxTotal: maxTotalField,
  periodType: periodField(periods, 'daily'),
  appliesAcross: textsField('IDs of the channels to count together. Default: all channels.'),
  windows: windowsField,
};

/**
 * At most n contacts of the counted set per period, summed over the channels of `appliesAcross` (all when empty).
 * Blocks only candidates on those channels (docs/design/api-catalogue.md 8.3).
 */
export const crossChannelCap: PolicyKind = {
  ruleType: 'cross_channel_cap',
  fields,
  required: ['maxTotal'],
  historyDays: (config) => daysOfPeriod(config, 'daily'),
  check: (config) => parse(config).problems,
  remarks: windowRemarks,
  compile(policy, scope, builder) {
    const { limits, channelIds } = parse(policy.config);
    const isOn = new Set(channelIds);
    const assignments =
      channelIds.length === 0
        ? scope.assignments
        : scope.assignments.map(
            ({ word, matches, counts }): Assignment => ({
              word,
              matches: (candidate) =>
                candidate.creative !== null && isOn.has(candidate.creative.row.channelId) && matches(candidate),
              // By id: contacts on channels that are now inactive count too.
              counts: (lanes, lane) => isOn.has(channelIdOf(lanes, lane) ?? '') && counts(lanes, lane),
            }),
          );
    const counter = createCounter({ assignments, per: 'scope', limits, countsLane: null, countsItem: null }, builder);
    const across = channelIds.length === 0 ? 'all channels' : `${isOn.size} channel${isOn.size === 1 ? '' : 's'}`;
    return {
      role: 'block',
      final: false,
      bindsMandatory: true,
      needsCreative: channelIds.length > 0,
      countsAll: false,
      reach: counter.reachOf,
      blocks: counter.isFull,
      explain(run, candidate) {
        const full = counter.full(run, candidate);
        if (full === null) return { reason: '', detail: null };
        const { limit, actual } = full;
        return {
          reason: `cross_channel_cap exceeded: ${limit.max}/${limit.word} over ${across}`,
          detail: { period: limit.period, max: limit.max, actual, channels: [...isOn], ...limit.length },
        };
      },
      take: counter.take,
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const limits = readTotalAndWindows(reader, config, periods, 'daily');
  const channelIds = reader.texts('appliesAcross') ?? [];
  reader.flag('bypassable');
  return { limits, channelIds, problems: reader.problems };
}
