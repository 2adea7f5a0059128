import { FlaskConical, Play } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import { addresses } from '../../../route/addresses.ts';
import { useSearch } from '../../../route/use-address.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Link } from '../../../ui/link.tsx';
import { moveInto } from '../../../ui/overlays/move-into.ts';
import { Page, Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { useLatest, useSimulated } from '../calls.ts';
import { useWriters } from '../use-writers.ts';
import { AnswerColumn } from './answer-column.tsx';
import { ChangeList } from './change-list.tsx';
import { EditList } from './edit-list.tsx';
import { againstOf, bodyOf, hasEdits, otherBodyOf, SimulateSearch, type UnsavedConfig, versionOf } from './question.ts';
import { QuestionForm } from './question-form.tsx';

/** Simulates decisions for one customer: live or draft, at any instant, with edits; two results side by side. */
export function SimulatePage() {
  const [search, change] = useSearch(SimulateSearch);
  const [unsaved, setUnsaved] = useState<UnsavedConfig>(null);
  const answers = useRef<HTMLDivElement>(null);
  const write = useWriters();
  const format = useFormat();
  const latest = useLatest({ limit: 10 }, { enabled: search.customer === undefined });
  const newest = latest.data?.data.find(({ customerId }) => customerId !== null)?.customerId ?? null;
  const body = useMemo(() => bodyOf(search, unsaved), [search, unsaved]);
  const otherBody = useMemo(() => otherBodyOf(search, unsaved), [search, unsaved]);
  const own = useSimulated(body, true);
  const other = useSimulated(otherBody, true);
  const run = () => {
    own.refresh();
    if (otherBody !== null) other.refresh();
    moveInto(answers.current);
  };
  const against = againstOf(search);
  const version = versionOf(search.version);
  const title = hasEdits(search)
    ? t.columns.question
    : search.decision !== undefined
      ? t.columns.record
      : titleOf(version);
  const otherTitle =
    against === 'unedited'
      ? search.decision === undefined
        ? t.columns.unedited
        : t.columns.record
      : against === 'nothing'
        ? ''
        : titleOf(against);
  return (
    <Page
      title={t.simulate}
      lead={t.lead}
      actions={
        <Button
          kind="primary"
          icon={<Play aria-hidden className="size-4" />}
          busy={own.old && own.failure === null}
          disabledReason={body === null ? t.pickCustomer : null}
          onClick={run}
        >
          {t.run}
        </Button>
      }
    >
      {search.decision === undefined ? null : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card bg-info-soft px-3 py-2 text-dense text-info">
          <span>{t.recorded(search.decision.slice(0, 8))}</span>
          <Link to={addresses.decision(search.decision)}>{t.openRecord}</Link>
          <Button size="small" kind="quiet" onClick={() => change({ decision: undefined }, { push: true })}>
            {t.onNow}
          </Button>
        </div>
      )}
      {search.now === undefined || search.decision !== undefined ? null : (
        <div className="flex flex-wrap items-center gap-3 rounded-card bg-warn-soft px-3 py-2 text-dense text-warn">
          <span>{t.clockBanner(format.instant(search.now))}</span>
          <Button size="small" kind="quiet" onClick={() => change({ now: undefined }, { push: true })}>
            {t.back}
          </Button>
        </div>
      )}
      <QuestionForm search={search} change={change} newest={newest} unsaved={unsaved} onUnsaved={setUnsaved} />
      <EditList search={search} change={change} />
      {body === null ? (
        <Empty
          title={t.pickCustomer}
          icon={<FlaskConical />}
          actions={
            newest === null ? null : (
              <Button kind="primary" onClick={() => change({ customer: newest }, { push: true })}>
                {newest}
              </Button>
            )
          }
        >
          {newest === null ? t.customerHelp : t.newest}
        </Empty>
      ) : (
        <>
          {otherBody !== null && own.data !== undefined && other.data !== undefined && !own.old && !other.old ? (
            <Section title={t.changedTitle}>
              <ChangeList own={own.data} other={other.data} />
            </Section>
          ) : null}
          <div
            ref={answers}
            className={`scroll-mt-2 ${otherBody === null ? 'grid gap-4' : 'grid items-start gap-4 lg:grid-cols-2'}`}
          >
            <AnswerColumn title={title} answer={own} looked={search.offer ?? null} write={write} />
            {otherBody === null ? null : (
              <AnswerColumn title={otherTitle} answer={other} looked={search.offer ?? null} write={write} />
            )}
          </div>
        </>
      )}
    </Page>
  );
}

function titleOf(version: 'published' | 'draft' | 'unsaved' | number): string {
  if (typeof version === 'number') return t.columns.version(String(version));
  return version === 'published' ? t.columns.live : t.columns[version];
}
