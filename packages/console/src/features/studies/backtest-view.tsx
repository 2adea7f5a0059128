import { type BacktestResult, diffKinds, notEvaluableReasons } from '@arbiter/contract/judging/backtest-results';
import { RecordLink } from '../../forms/record-name.tsx';
import { studyTexts, backtestTexts as t } from '../../messages/judging/studies.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Verdict } from './verdict.tsx';

const tones: Readonly<Record<BacktestResult['verdict'], Tone>> = { ok: 'pass', failed: 'block', refused: 'warn' };

interface ViewProps {
  readonly result: BacktestResult;
}

/** What a draft would have changed. */
export function BacktestView({ result }: ViewProps) {
  const format = useFormat();
  const { verdict, reasons, decisions, changed, changedShare, limits, samples, notRecorded } = result;
  const total = format.number(decisions);
  const isRefused = verdict === 'refused';
  const headline =
    decisions === 0
      ? t.reasons.no_decisions
      : isRefused
        ? t.refused
        : changed === 0
          ? t.headlineNone(total)
          : t.headline(format.percent(changedShare), total);
  // Without an answer, no limit is judged.
  const why = isRefused ? reasons.filter((reason) => reason !== 'limit_failed') : reasons;
  return (
    <>
      <Verdict
        title={t.result}
        tone={tones[verdict]}
        word={t.verdicts[verdict]}
        headline={headline}
        reasons={why.map((reason) => t.reasons[reason]).filter((reason) => reason !== headline)}
      >
        {notRecorded.length === 0 ? null : <p className="text-soft">{t.notRecorded(notRecorded.join(', '))}</p>}
      </Verdict>
      {changed === 0 || isRefused ? null : <Changes result={result} />}
      {limits.length === 0 ? null : <Limits result={result} />}
      {samples.length === 0 ? null : <Samples result={result} />}
      <LeftOut result={result} />
    </>
  );
}

function Changes({ result: { byKind, gained, lost } }: ViewProps) {
  const format = useFormat();
  const kinds = diffKinds.filter((kind) => byKind[kind] > 0);
  return (
    <>
      <Section title={t.changes}>
        <Facts facts={kinds.map((kind) => ({ label: t.kinds[kind], value: format.number(byKind[kind]) }))} />
      </Section>
      <Section title={t.offers}>
        <div className="grid gap-4 sm:grid-cols-2">
          <OfferChanges title={t.gained} changes={gained} />
          <OfferChanges title={t.lost} changes={lost} />
        </div>
        {gained.length + lost.length === 0 ? <p className="text-soft">{t.noOffers}</p> : null}
      </Section>
    </>
  );
}

interface OfferChangesProps {
  readonly title: string;
  readonly changes: BacktestResult['gained'];
}

function OfferChanges({ title, changes }: OfferChangesProps) {
  const format = useFormat();
  if (changes.length === 0) return null;
  return (
    <div className="min-w-0">
      <h3 className="pb-1 text-dense font-medium">{title}</h3>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {changes.map(({ offerId, count, customers }) => (
          <li key={offerId} className="py-1.5 break-words">
            <RecordLink kind="offer" id={offerId} />
            <p className="text-dense text-soft">
              {count === null || customers === null
                ? studyTexts.few
                : t.times(format.number(count), format.number(customers))}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Limits that aren't shares. */
const absolute: ReadonlySet<string> = new Set(['mustKeep', 'maxEngineUsP99']);

function Limits({ result: { limits, verdict } }: ViewProps) {
  const format = useFormat();
  const shown = (name: string, value: number) => (absolute.has(name) ? format.number(value) : format.percent(value));
  return (
    <Section title={t.limits}>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {limits.map(({ name, offerId, value, bound, passed }) => (
          <li key={`${name} ${offerId ?? ''}`} className="flex flex-wrap items-baseline justify-between gap-2 py-1.5">
            <span className="min-w-0">
              {t.limitNames[name] ?? name} {offerId === null ? null : <RecordLink kind="offer" id={offerId} />}
              <span className="block text-dense text-soft">
                {value === null ? null : `${t.measured}: ${shown(name, value)} · `}
                {t.bound}: {shown(name, bound)}
              </span>
            </span>
            {verdict === 'refused' ? (
              <Badge tone="neutral">{t.notJudged}</Badge>
            ) : value === null ? (
              <Badge tone="warn">{t.notMeasured}</Badge>
            ) : (
              <Badge tone={passed ? 'pass' : 'block'}>{passed ? t.passed : t.exceeded}</Badge>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Samples({ result: { samples } }: ViewProps) {
  return (
    <Section title={t.samples}>
      <p className="pb-2 text-soft">{t.samplesText}</p>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {samples.map(({ decisionId, kind }) => (
          <li key={decisionId} className="flex flex-wrap items-baseline justify-between gap-2 py-1.5">
            <span>{t.kinds[kind]}</span>
            <Link to={addresses.decision(decisionId)} aria-label={`${t.openDecision} ${decisionId}`}>
              {t.openDecision}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function LeftOut({ result: { notEvaluable, notReplayable } }: ViewProps) {
  const format = useFormat();
  if (notReplayable === 0) return null;
  const reasons = notEvaluableReasons.flatMap((reason) => {
    const records = notEvaluable[reason] ?? 0;
    return records === 0 ? [] : [{ label: t.leftReasons[reason], value: format.number(records) }];
  });
  return (
    <Section title={t.left}>
      <p className="text-soft">{t.leftText(format.number(notReplayable))}</p>
      <Facts facts={reasons} />
    </Section>
  );
}
