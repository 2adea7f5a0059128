import { textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { PolicyKind } from './policy-kind.ts';

const fields = { reason: textField('Why the override exists. Shown in traces.') };

/** Never blocks; lifts, for candidates in scope, all blocks of its stage but do_not_contact and `bypassable: false`. */
export const allowOverride: PolicyKind = {
  ruleType: 'allow_override',
  fields,
  required: [],
  historyDays: () => 0,
  check(config) {
    const reader = readConfig(config);
    reader.text('reason');
    reader.flag('bypassable');
    return reader.problems;
  },
  compile({ config }) {
    const policyReason = typeof config.reason === 'string' && config.reason !== '' ? config.reason : null;
    return {
      role: 'override',
      final: false,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: false,
      reach: () => 'none',
      blocks: () => false,
      explain: () => ({ reason: `allow_override: ${policyReason ?? 'no reason given'}`, detail: { policyReason } }),
      take: null,
    };
  },
};
