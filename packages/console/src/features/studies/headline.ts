import type { EvaluationResult } from '@arbiter/contract/judging/evaluation-results';
import { evaluationTexts as t } from '../../messages/judging/studies.ts';
import type { Format } from '../../ui/format.ts';

/** Digits of an amount per decision. */
export const amountDigits = 4;

/** The result of an evaluation in a sentence. */
export function headlineOf(
  { verdict, delta }: Pick<EvaluationResult, 'verdict' | 'delta'>,
  format: Pick<Format, 'number'>,
): string {
  if (verdict === 'refused' || delta === null) return t.refused;
  const { value, ciLower, ciUpper } = delta;
  const amount = (number: number) => format.number(number, amountDigits);
  if (verdict === 'bounded' || value === null) return t.bounded(amount(ciLower), amount(ciUpper));
  if (ciLower === 0 && ciUpper === 0) return t.same;
  if (ciLower > 0) return t.earnsMore(amount(value), amount(ciLower), amount(ciUpper));
  if (ciUpper < 0) return t.earnsLess(amount(-value), amount(-ciUpper), amount(-ciLower));
  return t.uncertain(amount(ciLower), amount(ciUpper));
}
