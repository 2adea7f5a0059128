import type { EvaluationResult } from '@arbiter/contract/judging/evaluation-results';
import { evaluationTexts as t } from '../../messages/judging/studies.ts';
import type { Tone } from '../../ui/badge.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import type { Format } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { amountDigits, headlineOf } from './headline.ts';
import { Verdict } from './verdict.tsx';

const tones: Readonly<Record<EvaluationResult['verdict'], Tone>> = { ok: 'pass', bounded: 'warn', refused: 'warn' };

export interface EvaluationViewProps {
  readonly result: EvaluationResult;
  /** Confidence of the ranges, 0 to 1; null if it isn't known. */
  readonly confidence: number | null;
}

/** What a draft would have earned, and how well that is known. */
export function EvaluationView({ result, confidence }: EvaluationViewProps) {
  const format = useFormat();
  const { verdict, reasons, needed } = result;
  return (
    <>
      <Verdict
        title={t.result}
        tone={tones[verdict]}
        word={t.verdicts[verdict]}
        headline={headlineOf(result, format)}
        reasons={reasons.map((reason) => t.reasons[reason])}
      >
        {result.decisions === 0 ? null : <Facts facts={amountsOf(result, format)} />}
        {confidence === null || verdict !== 'ok' ? null : (
          <p className="text-caption text-soft">{t.confidence(format.percent(confidence))}</p>
        )}
      </Verdict>
      {verdict === 'ok' || result.decisions === 0 ? null : <Needed needed={needed} />}
      {result.decisions === 0 ? null : <Basis result={result} />}
    </>
  );
}

type Bounds = EvaluationResult['logged'];

const boundsText = ({ value, ciLower, ciUpper }: Bounds, write: (value: number) => string): string => {
  const range = t.interval(write(ciLower), write(ciUpper));
  return value === null ? range : `${write(value)} (${range})`;
};

function amountsOf({ logged, estimates, headline, delta, lift }: EvaluationResult, format: Format): readonly Fact[] {
  const amount = (number: number) => format.number(number, amountDigits);
  const draft = estimates?.[headline];
  return [
    { label: t.now, value: boundsText(logged, amount) },
    { label: t.draft, value: draft === undefined ? null : boundsText(draft, amount) },
    { label: t.difference, value: delta === null ? null : boundsText(delta, amount) },
    { label: t.lift, value: lift === null ? null : boundsText(lift, (share) => format.percent(share)) },
  ];
}

function Needed({ needed }: Pick<EvaluationResult, 'needed'>) {
  const format = useFormat();
  if (needed === null) return null;
  const { explore, days, from } = needed;
  const ways = [
    ...(explore === null ? [] : [t.neededExplore(format.percent(explore))]),
    ...(days === null ? [] : [t.neededDays(format.number(days))]),
    ...(from === null ? [] : [t.neededFrom(format.moment(from))]),
  ];
  return (
    <Section title={t.needed}>
      <ul className="list-disc ps-4">
        {(ways.length === 0 ? [t.neededNothing] : ways).map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </Section>
  );
}

function Basis({ result }: Pick<EvaluationViewProps, 'result'>) {
  const format = useFormat();
  const { decisions, customers, supportShare, effectiveSampleSize, diagnostics } = result;
  return (
    <Section title={t.basis}>
      <Facts
        facts={[
          { label: t.decisions, value: format.number(decisions) },
          { label: t.customers, value: format.number(customers) },
          { label: t.rewarded, value: format.number(diagnostics.rewardCustomers) },
          { label: t.support, value: format.percent(supportShare) },
          { label: t.effective, value: format.number(effectiveSampleSize, 0) },
        ]}
      />
    </Section>
  );
}
