import { textsField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import type { PolicyKind } from './policy-kind.ts';

const fields = { excludeSegments: textsField('IDs or names of segments whose members are blocked. At least one.') };

/** Blocks members of a segment named by id or name, stored or of the request (docs/design/api-catalogue.md 8.3). */
export const segmentExclusion: PolicyKind = {
  ruleType: 'segment_exclusion',
  fields,
  required: ['excludeSegments'],
  historyDays: () => 0,
  check(config) {
    const { excludeSegments, problems } = parse(config);
    if (problems.length > 0 || (excludeSegments !== undefined && excludeSegments.length > 0)) return problems;
    return [{ path: '/excludeSegments', message: 'must have at least one segment' }];
  },
  compile(policy, _scope, builder) {
    const excluded = parse(policy.config).excludeSegments ?? [];
    builder.readSegments(excluded);
    const matched = ({ segments }: Run): string | undefined => excluded.find((segment) => segments.has(segment));
    return {
      role: 'block',
      final: false,
      timeless: true,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: false,
      reach: (run) => (matched(run) === undefined ? 'none' : 'all'),
      // Asked only of candidates within reach.
      blocks: () => true,
      explain(run) {
        const matchedSegment = matched(run) ?? null;
        return {
          reason: `customer is in excluded segment ${matchedSegment}`,
          detail: { excludeSegments: excluded, matchedSegment },
        };
      },
      take: null,
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const excludeSegments = reader.texts('excludeSegments');
  reader.flag('bypassable');
  return { excludeSegments, problems: reader.problems };
}
