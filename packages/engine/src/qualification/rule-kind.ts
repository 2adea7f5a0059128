import { type ConfigShape, wordField } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark } from '../compile/config-problems.ts';
import { LIST_OPERATORS } from '../conditions/operator.ts';
import type { Builder } from '../plan/builder.ts';
import type { PlanOffer } from '../plan/offer.ts';
import type { RuleBehaviour, RuleStage } from '../plan/rule.ts';
import type { JsonObject, SnapshotRule } from '../plan/snapshot.ts';

/** One of the qualification rule types (docs/design/api-catalogue.md 9). */
export interface RuleKind extends ConfigShape {
  readonly ruleType: string;
  readonly defaultStage: RuleStage;
  /** Returns the problems that keep a config from being stored. The caller checks references. */
  check(config: JsonObject): readonly ConfigProblem[];
  /** Returns what has no effect besides unknown keys. */
  readonly remarks?: (config: JsonObject) => readonly ConfigRemark[];
  /** Called only with a config that `check` accepts. */
  compile(rule: SnapshotRule, builder: Builder, offers: readonly PlanOffer[]): RuleBehaviour;
}

export const missingWords = ['fail', 'pass'] as const;

export const missingField = wordField(missingWords, 'What to do when the value is missing.', 'fail');

export const operatorField = wordField([...LIST_OPERATORS], 'How to compare the attribute with the value.');
