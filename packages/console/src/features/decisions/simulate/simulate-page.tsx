import { FlaskConical, Play } from 'lucide-react';
import { type RefObject, useMemo, useRef, useState } from 'react';
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
import { EditList, type EditListProps } from './edit-list.tsx';
import { againstOf, bodyOf, hasEdits, otherBodyOf, SimulateSearch, type UnsavedConfig, versionOf } from './question.ts';
import { QuestionForm } from './question-form.tsx';

/** Simulates decisions for one customer: live or draft, at any instant, with edits; two results side by side. */
export function SimulatePage() {
  const [search, change] = useSearch(SimulateSearch);
  const [unsaved, setUnsaved] = useState<UnsavedConfig>(null);
  const answers = useRef<HTMLDivElement>(null);
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
      <Banner search={search} change={change} />
      <QuestionForm search={search} change={change} newest={newest} unsaved={unsaved} onUnsaved={setUnsaved} />
      <EditList search={search} change={change} />
      {body === null ? (
        <NoCustomer newest={newest} onPick={(customer) => change({ customer }, { push: true })} />
      ) : (
        <Answers search={search} own={own} other={otherBody === null ? null : other} box={answers} />
      )}
    </Page>
  );
}

/** Says that the simulation repeats a record, or decides at another time. */
function Banner({ search, change }: Pick<EditListProps, 'search' | 'change'>) {
  const format = useFormat();
  if (search.decision !== undefined) {
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card bg-info-soft px-3 py-2 text-dense text-info">
        <span>{t.recorded(search.decision.slice(0, 8))}</span>
        <Link to={addresses.decision(search.decision)}>{t.openRecord}</Link>
        <Button size="small" kind="quiet" onClick={() => change({ decision: undefined }, { push: true })}>
          {t.onNow}
        </Button>
      </div>
    );
  }
  if (search.now === undefined) return null;
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-card bg-warn-soft px-3 py-2 text-dense text-warn">
      <span>{t.clockBanner(format.instant(search.now))}</span>
      <Button size="small" kind="quiet" onClick={() => change({ now: undefined }, { push: true })}>
        {t.back}
      </Button>
    </div>
  );
}

interface NoCustomerProps {
  /** Customer of the latest decision; null if unknown. */
  readonly newest: string | null;
  readonly onPick: (customer: string) => void;
}

function NoCustomer({ newest, onPick }: NoCustomerProps) {
  const pick =
    newest === null ? null : (
      <Button kind="primary" onClick={() => onPick(newest)}>
        {newest}
      </Button>
    );
  return (
    <Empty title={t.pickCustomer} icon={<FlaskConical />} actions={pick}>
      {newest === null ? t.customerHelp : t.newest}
    </Empty>
  );
}

type Simulated = ReturnType<typeof useSimulated>;

interface AnswersProps {
  readonly search: SimulateSearch;
  readonly own: Simulated;
  /** The comparison; null for none. */
  readonly other: Simulated | null;
  readonly box: RefObject<HTMLDivElement | null>;
}

/** One or two results, and their differences once both are up to date. */
function Answers({ search, own, other, box }: AnswersProps) {
  const write = useWriters();
  const isCurrent = !own.old && other?.old === false;
  const looked = search.offer ?? null;
  return (
    <>
      {isCurrent && own.data !== undefined && other?.data !== undefined ? (
        <Section title={t.changedTitle}>
          <ChangeList own={own.data} other={other.data} />
        </Section>
      ) : null}
      <div
        ref={box}
        className={`scroll-mt-2 ${other === null ? 'grid gap-4' : 'grid items-start gap-4 lg:grid-cols-2'}`}
      >
        <AnswerColumn title={ownTitle(search)} answer={own} looked={looked} write={write} />
        {other === null ? null : (
          <AnswerColumn title={otherTitle(search)} answer={other} looked={looked} write={write} />
        )}
      </div>
    </>
  );
}

function ownTitle(search: SimulateSearch): string {
  if (hasEdits(search)) return t.columns.question;
  return search.decision === undefined ? titleOf(versionOf(search.version)) : t.columns.record;
}

function otherTitle(search: SimulateSearch): string {
  const against = againstOf(search);
  if (against === 'nothing') return '';
  if (against !== 'unedited') return titleOf(against);
  return search.decision === undefined ? t.columns.unedited : t.columns.record;
}

function titleOf(version: 'published' | 'draft' | 'unsaved' | number): string {
  if (typeof version === 'number') return t.columns.version(String(version));
  return version === 'published' ? t.columns.live : t.columns[version];
}
