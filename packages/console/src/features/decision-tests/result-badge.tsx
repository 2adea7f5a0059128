import type { DecisionTestResult } from '@arbiter/contract/judging/decision-test-runs';
import { decisionTestTexts as t } from '../../messages/judging/decision-tests.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

const tones: Readonly<Record<DecisionTestResult['status'], Tone>> = { passed: 'pass', failed: 'block', error: 'warn' };

export interface ResultProps {
  /** Undefined: it hasn't run. */
  readonly result: DecisionTestResult | undefined;
  readonly isRunning: boolean;
}

/** The result of a test in a word. */
export const resultText = ({ result, isRunning }: ResultProps): string =>
  result === undefined ? (isRunning ? t.running : t.notRun) : t.statuses[result.status];

export function ResultBadge(props: ResultProps) {
  const { result } = props;
  return <Badge tone={result === undefined ? 'neutral' : tones[result.status]}>{resultText(props)}</Badge>;
}
