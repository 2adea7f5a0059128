import { textsField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { wishesForSegments } from '../why-not/edits.ts';
import type { RuleKind } from './rule-kind.ts';

const fields = { requiredSegments: textsField('IDs or names of segments. The customer must be in all of them.') };

/** Membership in all segments named, by id or name, stored or of the request (docs/design/api-catalogue.md 9). */
export const segmentRequired: RuleKind = {
  ruleType: 'segment_required',
  defaultStage: 'eligibility',
  check(config) {
    const { requiredSegments, problems } = parse(config);
    return requiredSegments === undefined && problems.length === 0
      ? [{ path: '/requiredSegments', message: 'is required' }]
      : problems;
  },
  fields,
  required: ['requiredSegments'],
  remarks: ({ requiredSegments }) =>
    Array.isArray(requiredSegments) && requiredSegments.length === 0
      ? [
          {
            path: '/requiredSegments',
            nearest: null,
            reason: 'No segment is set, so every customer qualifies.',
            suggestion: 'Add a segment to requiredSegments.',
          },
        ]
      : [],
  compile(rule, builder) {
    const required = parse(rule.config).requiredSegments ?? [];
    builder.readSegments(required);
    return {
      perCustomer: true,
      needsCreative: false,
      failingOffers: null,
      timeless: true,
      wishes: (run) => wishesForSegments(required.filter((segment) => !run.segments.has(segment))),
      passes: (run) => isMemberOfAll(run, required),
      explain(run) {
        const missing = required.filter((segment) => !run.segments.has(segment));
        return {
          reason: `Missing required segments: ${missing.join(', ')}`,
          detail: { required, actual: required.filter((segment) => run.segments.has(segment)) },
        };
      },
    };
  },
};

function isMemberOfAll({ segments }: Run, required: readonly string[]): boolean {
  for (let i = 0; i < required.length; i++) if (!segments.has(required[i]!)) return false;
  return true;
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const requiredSegments = reader.texts('requiredSegments');
  return { requiredSegments, problems: reader.problems };
}
