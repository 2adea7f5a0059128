import type { QualificationRule } from '@arbiter/contract/catalogue/qualification-rules';
import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useOperation } from '../data/use-operation.ts';
import { ruleSentence } from '../messages/rules.ts';

/** What a qualification rule asks, in a sentence; segments that it names by their ids are called by their names. */
export function RuleSentence({
  rule: { ruleType, config },
}: {
  readonly rule: Pick<QualificationRule, 'ruleType' | 'config'>;
}) {
  const segments = useOperation(
    segmentOperations.list,
    { query: { limit: 200 } },
    { enabled: ruleType === 'segment_required' },
  );
  const names = new Map((segments.data?.data ?? []).map(({ id, name }) => [id, name]));
  const sentence = ruleSentence(ruleType, config, (segment) => names.get(segment) ?? segment);
  return <span title={sentence}>{sentence}</span>;
}
