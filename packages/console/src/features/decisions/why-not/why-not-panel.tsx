import { whyNotOperations } from '@arbiter/contract/deciding/why-not';
import type { WhyNotGate } from '@arbiter/contract/deciding/why-not-gates';
import { stageName } from '@arbiter/contract/explanation/texts';
import { ArrowRight, CircleCheck, Clock, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import type { Format } from '../../../ui/format.ts';
import { Section } from '../../../ui/page.tsx';
import { Spinner } from '../../../ui/progress.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { useWhyNot } from '../calls.ts';
import { GateList, type ShownGate } from '../gates/gate-list.tsx';
import { valueText, type Writers } from '../gates/gate-story.ts';
import { isRuleType } from '../gates/rule-stories.ts';
import { type Flip, type FlipQuestion, finalGate, tryFlip } from './flips.ts';

export interface WhyNotPanelProps {
  readonly question: FlipQuestion;
  readonly offerName: string;
  readonly write: Writers;
  /** Show the gates found by the search, if there's no trace. */
  readonly withGates: boolean;
}

/**
 * The smallest changes that would show an offer, each verified. On demand, because the search makes many decisions and is
 * recorded in the audit log.
 */
export function WhyNotPanel({ question, offerName, write, withGates }: WhyNotPanelProps) {
  const [moment, setMoment] = useState<'then' | 'now' | null>(null);
  const subject: FlipQuestion = moment === 'now' ? { ...question, decisionId: null } : question;
  const { ask, busy, failure, answer: data } = useWhyNot();
  const blocking = data === null ? null : finalGate(data);
  const askOf = (when: 'then' | 'now') => {
    setMoment(when);
    void ask(when === 'now' ? { ...question, decisionId: null } : question);
  };
  return (
    <Section
      title={t.whyNot(offerName)}
      actions={
        question.decisionId === null ? null : (
          <fieldset className="flex gap-1">
            <legend className="hidden-text">{t.whyNotWhen}</legend>
            {(['then', 'now'] as const).map((when) => (
              <Button
                key={when}
                size="small"
                kind={moment === when ? 'plain' : 'quiet'}
                aria-pressed={moment === when}
                onClick={() => askOf(when)}
              >
                {when === 'then' ? t.whyNotThen : t.whyNotNow}
              </Button>
            ))}
          </fieldset>
        )
      }
    >
      {moment === null ? (
        <Button kind="primary" onClick={() => askOf(question.decisionId === null ? 'now' : 'then')}>
          {t.whyNotAsk}
        </Button>
      ) : busy ? (
        <Spinner label={t.whyNotBusy} />
      ) : failure !== null ? (
        <FailurePanel operation={whyNotOperations.ask} failure={failure} retry={() => askOf(moment)} />
      ) : data === null ? null : (
        <div className="flex flex-col gap-3">
          <p>{data.summary}</p>
          {data.flips.length === 0 ? null : (
            <>
              <h3 className="text-dense text-soft">{t.flipsFound(data.flips.length)}</h3>
              <ul className="grid gap-2 sm:grid-cols-2">
                {data.flips.map((flip) => (
                  <FlipCard key={keyOf(flip)} flip={flip} question={subject} write={write} />
                ))}
              </ul>
            </>
          )}
          {blocking === null ? null : (
            <p className="flex items-start gap-2 rounded-card bg-block-soft px-3 py-2 text-block">
              {t.flipFinal(blocking.name ?? stageName(blocking.stage))}
            </p>
          )}
          {data.search.executions === 0 ? null : (
            <p className="text-caption text-faint">
              {data.search.truncated
                ? t.flipTruncated(write.number(data.search.executions))
                : t.flipSearched(data.search.executions, write.number(data.search.executions))}
            </p>
          )}
          {withGates ? <GateList gates={data.gates.map(shownGateOf)} write={write} /> : null}
        </div>
      )}
    </Section>
  );
}

const keyOf = ({ kind, changes, at }: Flip): string => `${kind} ${JSON.stringify(changes)} ${at}`;

interface FlipCardProps {
  readonly flip: Flip;
  readonly question: FlipQuestion;
  readonly write: Writers;
}

function FlipCard({ flip, question, write }: FlipCardProps) {
  const format = useFormat();
  const search = tryFlip(flip, question);
  return (
    <li className="flex flex-col gap-2 rounded-card border border-line p-3">
      <div className="flex items-center justify-between gap-2">
        <span className="flex items-center gap-1.5 text-caption text-soft">
          {flip.kind === 'time' ? (
            <Clock aria-hidden className="size-3.5" />
          ) : (
            <ArrowRight aria-hidden className="size-3.5" />
          )}
          {t.flipKinds[flip.kind] ?? flip.kind}
        </span>
        <Badge tone="pass" icon={<CircleCheck aria-hidden className="size-3" />}>
          {`${t.flipVerified}, ${t.flipRank(flip.resultRank)}`}
        </Badge>
      </div>
      <ul className="flex flex-col gap-0.5 font-medium">
        {flip.kind === 'time' && flip.at !== null ? <li>{t.flipAt(format.instant(flip.at))}</li> : null}
        {flip.changes.map((change) => (
          <li key={`${change.path} ${String(change.to)}`}>
            {changeText(change, write, format)}
            {change.any ? <span className="font-normal text-soft"> ({t.flipAny})</span> : null}
          </li>
        ))}
      </ul>
      {search === null ? (
        <p className="text-caption text-faint">{t.flipUnsupported}</p>
      ) : (
        <ButtonLink
          size="small"
          to={addresses.simulate(search)}
          icon={<FlaskConical aria-hidden className="size-3.5" />}
          className="self-start"
        >
          {t.tryIt}
        </ButtonLink>
      )}
    </li>
  );
}

function changeText({ path, from, to }: Flip['changes'][number], write: Writers, format: Format): string {
  if (path === 'segments') return t.flipSegment(String(to));
  const [before, after] = [valueText(from, write), valueText(to, write)];
  if (path === 'offer.priority') return t.flipPriority(before, after);
  if (path === 'score') return t.flipScore(scoreText(from, format), scoreText(to, format));
  return t.flipFrom(path.replace(/^customer\./, ''), before, after);
}

/** With enough decimals to tell close scores apart. */
const scoreText = (value: unknown, format: Format): string =>
  typeof value === 'number' ? format.fixed(value, 6) : String(value);

function shownGateOf({ stage, nodeId, status, id, name, ruleType, reason, detail }: WhyNotGate): ShownGate {
  const kind = ruleType === null ? 'stage' : isRuleType(ruleType) ? 'rule' : 'policy';
  const key = `${stage} ${nodeId ?? ''} ${id ?? ''} ${name ?? ''}`;
  return { key, kind, id, name: name ?? stageName(stage), ruleType, status, detail, reason };
}
