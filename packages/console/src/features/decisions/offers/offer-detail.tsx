import type { ScoreComponents } from '@arbiter/contract/deciding/decision-scores';
import type { OfferGate, OfferStory } from '@arbiter/contract/explanation/offers';
import { dropDetail, reasonText, suppressionText } from '@arbiter/contract/explanation/texts';
import { useMemo } from 'react';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { factorNames, maturityTexts, rankMethods, scoreTexts, sourceTexts } from '../../../messages/decisions/score.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { GateList, type ShownGate } from '../gates/gate-list.tsx';
import type { Writers } from '../gates/gate-story.ts';
import { fateTones, nameOf, whyText } from './offer-row.tsx';
import { defaultRival, rivalsOf } from './rival.ts';
import { partsOf } from './score.ts';
import { MethodBadge, ScoreView } from './score-view.tsx';

export interface OfferDetailProps {
  readonly story: OfferStory;
  readonly offers: readonly OfferStory[];
  readonly rivalId: string | null;
  readonly onRival: (offerId: string | null) => void;
  readonly write: Writers;
  /** Content below: why not, and what would change it. */
  readonly children?: React.ReactNode;
}

/** Details of one offer: score and differences, gates, drop reason. */
export function OfferDetail({ story, offers, rivalId, onRival, write, children }: OfferDetailProps) {
  const { fate, rank, place, shown, offerId, dropped } = story;
  const format = useFormat();
  const title = nameOf(story, write);
  const chance = shown?.selection ?? null;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-section font-semibold">{title}</h2>
        <Badge tone={fateTones[fate]}>{rank === null ? t.fates[fate] : `${t.fates[fate]} ${t.shownAt(rank)}`}</Badge>
        {fate !== 'shown' && place !== null ? <span className="text-dense text-soft">{t.place(place)}</span> : null}
        {chance === null ? null : (
          <span className="text-dense text-soft">
            {(chance.estimated ? t.chanceEstimated : t.chance)(format.percent(chance.probability, 2))}
            {chance.explored ? `, ${t.explored}` : ''}
          </span>
        )}
        <Link to={addresses.decisions({ offerId })} className="text-dense max-sm:w-full sm:ms-auto">
          {t.seeOffer}
        </Link>
      </header>
      {dropped === null ? null : (
        <p className="rounded-card bg-sunken px-3 py-2">
          <span className="font-medium">{reasonText(dropped.reason).title}.</span>{' '}
          <span className="text-soft">{reasonText(dropped.reason).text}</span>
          {detailLine(story, write)}
        </p>
      )}
      {children}
      <ScoreSection {...{ story, offers, rivalId, onRival, write }} />
      <GateSection story={story} write={write} />
    </div>
  );
}

function detailLine(story: OfferStory, write: Writers): React.ReactNode {
  const { dropped } = story;
  if (dropped === null) return null;
  const line = [whyText(story, write), dropDetail(dropped, write)];
  const lines = [...new Set(line)].filter(
    (text) => text !== null && text !== '' && text !== reasonText(dropped.reason).text,
  );
  return lines.length === 0 ? null : <span className="block text-dense">{lines.join(' · ')}</span>;
}

interface ScoreSectionProps {
  readonly story: OfferStory;
  readonly offers: readonly OfferStory[];
  readonly rivalId: string | null;
  readonly onRival: (offerId: string | null) => void;
  readonly write: Writers;
}

function ScoreSection({ story, offers, rivalId, onRival, write }: ScoreSectionProps) {
  const format = useFormat();
  const { score, shown, offerId } = story;
  const parts = score === null ? null : partsOf(score);
  const { offered, further } = useMemo(() => rivalsOf(offerId, offers, rivalId), [offerId, offers, rivalId]);
  const usual = useMemo(() => defaultRival(story, offers), [story, offers]);
  const rival = rivalId === '' ? null : (offered.find((each) => each.offerId === rivalId) ?? usual);
  const rivalParts = rival?.score == null ? null : partsOf(rival.score);
  if (shown?.mandatory) return <Section title={t.score}>{t.mandatory}</Section>;
  if (score === null) return null;
  const { evidence, propensitySource, modelKey, shadowScores } = score;
  const answered = evidence === null ? 0 : evidence.positives + evidence.negatives;
  return (
    <Section
      title={t.score}
      about={
        <>
          <span className="font-semibold">{format.fixed(score.score, 6)}</span>
          {score.method === null ? null : <MethodBadge method={score.method} />}
        </>
      }
      actions={
        offered.length === 0 || parts === null ? null : (
          <SelectField
            label={t.against}
            labelHidden
            className="w-60"
            value={rival?.offerId ?? ''}
            placeholder={t.noRival}
            options={[
              ...offered.map((each) => ({ value: each.offerId, label: t.versus(rivalName(each, write)) })),
              ...(further > 0
                ? [{ value: ' ', label: t.furtherRivals(further, format.number(further)), disabled: true }]
                : []),
            ]}
            onChange={(event) => onRival(event.target.value)}
          />
        )
      }
    >
      <div className="flex flex-col gap-3">
        {parts === null ? (
          <PlainParts components={score.components} />
        ) : (
          <ScoreView
            name={nameOf(story, write)}
            parts={parts}
            rival={rivalParts === null || rival === null ? null : { name: nameOf(rival, write), parts: rivalParts }}
          />
        )}
        <ul className="flex flex-col gap-0.5 text-dense text-soft">
          {propensitySource === null || score.method === 'priority_weighted' ? null : (
            <li>
              {t.propensityFrom(sourceTexts[propensitySource] ?? propensitySource)}{' '}
              {evidence === null || answered === 0
                ? t.noEvidence
                : t.evidence(
                    format.number(evidence.positives),
                    format.number(answered),
                    maturityTexts[evidence.maturity] ?? evidence.maturity,
                  )}
              {modelKey === null ? '' : ` ${t.model(modelKey)}`}
            </li>
          )}
          {Object.entries(shadowScores).map(([key, value]) => (
            <li key={key}>{t.shadow(key, format.fixed(value, 4))}</li>
          ))}
          {shown?.selection == null ? null : (
            <li>
              {shown.selection.explored
                ? scoreTexts.explored(format.percent(shown.selection.probability, 2))
                : shown.selection.method === 'topN'
                  ? t.selected(rankMethods.topN ?? '')
                  : scoreTexts.notByScore(rankMethods[shown.selection.method] ?? shown.selection.method)}
            </li>
          )}
        </ul>
      </div>
    </Section>
  );
}

/** Plain score components, if the formula is unknown. */
function PlainParts({ components }: { readonly components: ScoreComponents }) {
  const format = useFormat();
  return (
    <>
      <p className="text-dense text-soft">{t.noParts}</p>
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        {Object.entries(components).map(([name, value]) => (
          <div key={name} className="flex flex-col">
            <dt className="text-caption text-soft">{factorNames[name] ?? factorNames.fit}</dt>
            <dd className="font-medium">{format.fixed(value, 3)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const rivalName = (story: OfferStory, write: Writers): string =>
  `${story.rank === null ? '' : `${t.shownAt(story.rank)} `}${nameOf(story, write)}`;

function GateSection({ story, write }: { readonly story: OfferStory; readonly write: Writers }) {
  const { gates } = story;
  const passed = gates?.filter(({ status }) => status === 'passed').length ?? 0;
  return (
    <Section
      title={t.gates}
      about={
        gates === null ? null : <span className="text-dense text-soft">{t.gatesPassed(passed, gates.length)}</span>
      }
    >
      {gates === null ? (
        <p className="text-soft">{t.gatesUnknown}</p>
      ) : gates.length === 0 ? (
        <p className="text-soft">{t.noGates}</p>
      ) : (
        <GateList gates={gates.map((gate) => shownGate(gate, write))} write={write} />
      )}
    </Section>
  );
}

function shownGate(gate: OfferGate, write: Writers): ShownGate {
  const { kind, id, name, status, result } = gate;
  const shared = { key: `${kind} ${id ?? name ?? ''} ${result.reason ?? ''}`, kind, id, status };
  if (kind === 'suppression') {
    const { reason } = result;
    const note = suppressionText(result, write);
    return { ...shared, name: reasonText('suppressed').title, ruleType: null, detail: null, reason, note };
  }
  const { ruleType, detail, reason } = result;
  const penalty = kind === 'rule' ? result.penalty : null;
  return {
    ...shared,
    name: name ?? t.ownEligibility,
    ...{ ruleType, detail, reason },
    note: penalty === null ? null : t.fitLowered(name ?? '', write.number(penalty)),
  };
}
